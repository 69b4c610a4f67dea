import { debounced } from "../../lib/browser.ts";
import { fill, make, orExplain } from "../../lib/make.ts";
import type { Page } from "../data_loader.ts";

/** Creates the card that shows the keys of jobs, each with its command. */
export function jobsCard({ base, callForJson, copyButton }: Page) {
  const address = base.href.slice(0, -1);

  /** Creates the part of a job. `show` shows its key and its command. */
  function jobPart(
    title: string,
    words: string,
    queryOf: () => Record<string, string>,
    commandOf: (header: string) => string,
    ...more: Node[]
  ) {
    const place = make("");
    const lineOf = (text: string, name: string) =>
      make(".line.copied", make("code", text), copyButton("Copy", () => text, `Copy the ${name}`));
    const show = () =>
      orExplain(place, async () => {
        const { key } = await callForJson(`key?${new URLSearchParams(queryOf())}`);
        const command = commandOf(`-H "Authorization: Bearer ${key}" ${address}`);
        const name = title.toLowerCase();
        fill(place, lineOf(key, `key for ${name}`), lineOf(command, `command for ${name}`));
      }, "p.bad");
    show();
    return { element: make("", make("h3", title), make("p.small", words), ...more, place), show };
  }

  const prefix = make("input", {
    type: "text",
    spellcheck: false,
    autocapitalize: "off",
    value: "github/",
    input: debounced(() => imports.show()),
  });
  const imports = jobPart(
    "Import",
    "Imports below one prefix.",
    () => ({ job: "import", prefix: prefix.value }),
    (to) => `17 4 * * * curl -fsS --data-binary @lines.ndjson ${to}/counters?mode=max`,
    make("label.line", "Prefix ", prefix),
  );
  const backup = jobPart(
    "Backup",
    "Keeps seven nights.",
    () => ({ job: "backup" }),
    (to) =>
      `17 3 * * * curl -fsS ${to}/counters > counters.new && tail -n 1 counters.new | ` +
      `grep -q '^{"counters":' && mv counters.new counters-$(date +\\%u).ndjson`,
  );
  const metrics = jobPart(
    "Metrics",
    "For Prometheus.",
    () => ({ job: "metrics" }),
    (to) => `* * * * * curl -fsS ${to}/metrics > metrics.new && mv metrics.new tallymark.prom`,
  );
  return make(
    "section.panel.card",
    make("h2", "Keys for jobs"),
    make("p.small", "Each line is for cron and contains its key, so no job needs the secret."),
    ...[backup, imports, metrics].map(({ element }) => element),
  );
}
