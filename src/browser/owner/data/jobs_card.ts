import { debounced } from "../../lib/browser.ts";
import { fill, make, orExplain } from "../../lib/make.ts";
import type { Page } from "../data_loader.ts";

/** The jobs, what each does, and its command. TO is for the key and the address of the service. */
const JOBS = {
  Backup: [
    "Keeps seven nights.",
    "17 3 * * * curl -fsS TO/counters > counters.new && tail -n 1 counters.new | " +
    "grep -q '^{\"counters\":' && mv counters.new counters-$(date +\\%u).ndjson",
  ],
  Import: [
    "Imports below one prefix.",
    "17 4 * * * curl -fsS --data-binary @lines.ndjson TO/counters?mode=max",
  ],
  Metrics: [
    "For Prometheus.",
    "* * * * * curl -fsS TO/metrics > metrics.new && mv metrics.new tallymark.prom",
  ],
} as const;

/** Creates the card that shows the keys of jobs, each with its command. */
export function jobsCard({ base, callForJson, copyButton }: Page) {
  /** Creates the part of a job. A job that imports has a field for the prefix of its ids. */
  function jobPart(title: keyof typeof JOBS, prefix?: HTMLInputElement) {
    const [words, line] = JOBS[title];
    const job = title.toLowerCase();
    const place = make("");
    const lineOf = (text: string, name: string) =>
      make(".line.copied", make("code", text), copyButton("Copy", () => text, `Copy the ${name}`));
    const queryNow = () =>
      String(new URLSearchParams({ job, ...prefix && { prefix: prefix.value } }));
    const show = () =>
      orExplain(place, async () => {
        const query = queryNow();
        const { key } = await callForJson(`key?${query}`);
        // The response for an earlier prefix may arrive after that for the last one.
        if (query !== queryNow()) return;
        const to = `-H "Authorization: Bearer ${key}" ${base.href.slice(0, -1)}`;
        const command = line.replace("TO", () => to);
        fill(place, lineOf(key, `key for ${job}`), lineOf(command, `command for ${job}`));
      }, "p.bad");
    show();
    prefix?.addEventListener("input", debounced(show));
    const field = prefix && make("label.line", "Prefix ", prefix);
    return make("", make("h3", title), make("p.small", words), field, place);
  }

  const text = { type: "text", spellcheck: false, autocapitalize: "off", value: "github/" };
  return make(
    "section.panel.card",
    make("h2", "Keys for jobs"),
    make("p.small", "Each line is for cron and contains its key, so no job needs the secret."),
    ...[jobPart("Backup"), jobPart("Import", make("input", text)), jobPart("Metrics")],
  );
}
