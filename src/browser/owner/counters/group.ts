import { base } from "../../lib/browser.ts";
import { badgeLink, keyOf, keyParts } from "./counter.ts";
import { copyButton } from "../../lib/clipboard.ts";
import { fill, make, orExplain } from "../../lib/make.ts";
import { plural } from "../../lib/words.ts";
import { csvCell } from "../data/csv.ts";
import type { Figures } from "../../lib/figures.ts";
import { callForJson, facts as service } from "../sign_in/session.ts";
import {
  elementSnippet,
  imageSnippets,
  inHtml,
  inMarkdown,
  queryOf,
  snippetBox,
} from "../../lib/snippets.ts";
import { rowDetail } from "../../lib/summary.ts";
import { selectButton } from "./selection.ts";
import { shown } from "./shown.ts";

/** Returns the content of an opened group. */
export function groupDetail(row: Figures, members: readonly Figures[]) {
  const prefix = row.id;
  const paste = make("div");
  const query = queryOf([["prefix", prefix]]);
  showKey(prefix, members, paste);
  const links = make(".line", badgeLink(query), selectButton(members));
  return rowDetail(row, shown.today, fetchHistory(query), paste, links);
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

/** Returns a button that copies the lines of all counters, with the key of their group. */
function copyAll(members: readonly Figures[], key: string) {
  const names = ["Markdown", "HTML", "CSV"] as const;
  const options = names.map((name) => make("option", name));
  const format = make("select", { "aria-label": "Format" }, ...options);
  const text = () => {
    const name = names[format.selectedIndex] ?? "Markdown";
    const lines = members.map(({ id, total }) => {
      const image = new URL(`hit.svg?${queryOf([["id", id], ["key", key]])}`, base).href;
      const { Markdown, HTML } = imageSnippets(image, "views");
      return {
        Markdown: `- ${inMarkdown(id)} ${Markdown}`,
        HTML: `  <li>${inHtml(id)} ${HTML}</li>`,
        CSV: [csvCell(id), total, image].join(),
      }[name];
    });
    if (name === "CSV") lines.unshift("id,views,image");
    return (name === "HTML" ? ["<ul>", ...lines, "</ul>"] : lines).join("\n");
  };
  return make(".line", copyButton("Copy all lines", text, "Copy all lines"), format);
}

function showKey(prefix: string, members: readonly Figures[], place: HTMLElement) {
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
    const top = [["prefix", prefix], ["key", own.key], ["limit", "5"]] as const;
    const List = elementSnippet("tally-top", top);
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
      make("h3", `Lines of these ${plural(members.length, "counter")}`),
      copyAll(members, own.key),
      make("p.small", "Every view of an image adds one to its counter."),
      make("h3", "Shared page"),
      make(
        ".line",
        make("label", "Title of the shared page ", title),
        copyButton("Copy share link", sharedLink, `Copy share link of ${prefix}`),
        open,
      ),
      make(
        "p.small",
        `Everyone with this link sees the numbers of the counters under ${prefix}. It works until you change the secret, or set another version of ${prefix} in KEY_VERSIONS.`,
      ),
    );
  }, "p.small");
}
