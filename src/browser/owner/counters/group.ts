import { badgeLink, keyOf, keyParts } from "./counter.ts";
import { base } from "../../lib/base.ts";
import { copyButton } from "../../lib/clipboard.ts";
import { fill, make, orExplain } from "../../lib/make.ts";
import { grouped } from "../../lib/words.ts";
import type { Figures } from "../../lib/figures.ts";
import { callForJson, facts as service } from "../sign_in/session.ts";
import { elementSnippet, imageSnippets, queryOf, snippetBox } from "../../lib/snippets.ts";
import { rowDetail } from "../../lib/summary.ts";

/** Number of counters in the list of the most read ones. */
const TOP = 5;

interface Surroundings {
  readonly members: readonly Figures[];
  readonly today: number;
  /** Opens the row of a counter. */
  readonly reveal: (id: string) => void;
}

/** Returns the content of an opened group: chart, badge, key and most read counters. */
export function groupDetail(row: Figures, { members, today, reveal }: Surroundings) {
  const prefix = row.id;
  const paste = make("div");
  const query = queryOf([["prefix", prefix]]);
  const top = members.toSorted((one, other) => other.month - one.month).slice(0, TOP);
  const names = top.map(({ id, month }) =>
    make(
      "li",
      make("button", { click: () => reveal(id), title: id, dir: "auto" }, id),
      grouped(month),
    )
  );
  const link = badgeLink(query);
  showKey(prefix, paste);
  return rowDetail(
    row,
    { today, load: () => fetchHistory(query) },
    paste,
    link && make(".line", link),
    make("h3", "Most read in 30 days"),
    make("ol.most", ...names),
  );
}

/** Fetches the sum of each day, which the service refuses for a group of too many counters. */
async function fetchHistory(query: string) {
  const { days, since }: { days: { day: string; hits: number }[]; since: string | null } =
    await callForJson(`p.json?${query}`);
  return {
    days: Object.fromEntries(days.map(({ day, hits }) => [day, hits])),
    since: since ?? undefined,
  };
}

function showKey(prefix: string, place: HTMLElement) {
  return orExplain(place, async () => {
    const [own, { key: readKey }] = await Promise.all([
      keyOf("prefix", prefix),
      keyOf("read", prefix),
    ]);
    const title = make("input");
    title.placeholder = /[^/]+(?=\/*$)/.exec(prefix)?.[0] ?? prefix;
    const sharedLink = () => {
      const heading = title.value.trim();
      const titled = heading === "" ? [] : [["title", heading] as const];
      const link = queryOf([["prefix", prefix], ["key", readKey], ...titled]);
      return new URL(`p?${link}`, base).href;
    };
    const open = make("a.button", { href: sharedLink(), target: "_blank" }, "Open shared page");
    title.addEventListener("input", () => open.href = sharedLink());
    const address = new URL(`badge?${queryOf([["prefix", prefix]])}`, base).href;
    const { Markdown, HTML, URL: url } = imageSnippets(address, "views");
    const Script = elementSnippet("tally-mark", [["prefix", prefix]]);
    const List = elementSnippet("tally-top", [["prefix", prefix], ["key", own.key], [
      "limit",
      "5",
    ]]);
    const snippets: Record<string, string> = service.openReads
      ? { Markdown, HTML, Script, List, URL: url }
      : { List };
    fill(
      place,
      ...snippetBox(snippets),
      make(
        "p.small",
        service.openReads
          ? "The sum of these counters, and a list of the most read pages. Neither counts a view."
          : "A list of the most read pages. Reads are protected on this server, so a badge of the sum would show an error. Set PUBLIC_READS=1 to make it public.",
      ),
      ...keyParts(
        own,
        `This key can count and list the counters under ${prefix} and nothing else; it may be public.`,
      ),
      make("h3", "Shared page"),
      make(
        ".line",
        make("label", "Title of the shared page ", title),
        copyButton("Copy share link", sharedLink, `Copy share link of ${prefix}`),
        open,
      ),
      make(
        "p.small",
        `Everyone with this link can see the numbers of the counters under ${prefix}, until you change the secret or, in KEY_VERSIONS, the version of its keys.`,
      ),
    );
  }, "p.small");
}
