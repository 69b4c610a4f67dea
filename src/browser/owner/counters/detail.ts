import { copyButton } from "../../lib/clipboard.ts";
import { fill, make, orExplain } from "../../lib/make.ts";
import { plural } from "../../lib/words.ts";
import { csvCell } from "../data/csv.ts";
import type { Figures } from "../../lib/figures.ts";
import { askDelete, askTotal } from "./changes.ts";
import { callForJson, facts as service } from "../sign_in/session.ts";
import {
  addressOf,
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

/** Returns the content of an opened row, of a counter or of the group of some. */
export function detailOf(row: Figures, members?: readonly Figures[]) {
  const { id } = row;
  const query = queryOf([[members ? "prefix" : "id", id]]);
  const place = make("div");
  orExplain(place, async () => {
    fill(place, ...await (members ? groupParts(id, members) : counterParts(id)));
  }, "p.small");
  const count = plural(members?.length ?? 1, "counter");
  const target = { href: `badge?${query}`, target: "_blank" };
  const links = make(
    ".line",
    !members && make("a.button.primary", { href: `#badges&${query}` }, "Design a badge"),
    service.openReads && make("a.button", target, "Open badge"),
    !members && make("button", { click: () => askTotal(row) }, "Set the total…"),
    !members && copyButton("Copy the id", () => id),
    selectButton(members ?? [row]),
    members && make("button", { click: () => askDelete(members) }, `Delete these ${count}…`),
  );
  const history = members ? groupHistory(query) : callForJson(`counters?${query}`);
  return rowDetail(row, shown.today, history, place, links);
}

/** Fetches the sum of each day, which the service refuses for a group of too many counters. */
async function groupHistory(query: string) {
  const { days, since }: { days: { day: string; hits: number }[]; since: string | null } =
    await callForJson(`p.json?${query}`);
  return {
    days: Object.fromEntries(days.map(({ day, hits }) => [day, hits])),
    since: since ?? undefined,
  };
}

/** A key, and its version from 2 on. */
interface OwnKey {
  readonly key: string;
  readonly version?: number;
}

export function keyOf(what: "id" | "prefix" | "read", value: string): Promise<OwnKey> {
  return callForJson(`key?${queryOf([[what, value]])}`);
}

/** Returns a key with its copy button and its purpose. */
function keyParts({ key, version }: OwnKey, purpose: string) {
  return [
    make("h3", version === undefined ? "Key" : `Key, version ${version}`),
    pasteBox(key, "Copy the key"),
    make("p.small", purpose),
  ];
}

/** Returns a text with its copy button. */
function pasteBox(text: string, name: string) {
  return make(".paste", make("code", text), copyButton("Copy", () => text, name));
}

async function counterParts(id: string) {
  const own = await keyOf("id", id);
  const keyed = ["key", own.key] as const;
  const images = imageSnippets(addressOf("hit.svg", [["id", id], keyed]), "views");
  const Script = elementSnippet("tally-mark", [["counter", id], keyed]);
  return [
    ...snippetBox({ ...images, Script }),
    make("p.small", "Every view adds one, and shows the number."),
    ...keyParts(own, "This key can count this counter and nothing else; it may be public."),
    linkPart(id),
  ];
}

/** Returns a field for an address, and the link to it that counts. */
function linkPart(id: string) {
  const place = make("div", { role: "status" });
  const field = make("input", {
    type: "url",
    required: true,
    placeholder: "Address of a file or page",
    "aria-label": "Address that the link leads to",
  });
  const submit = (event: Event) => {
    event.preventDefault();
    return orExplain(place, async () => {
      const asked = [["id", id], ["to", field.value]] as const;
      const { to, key } = await callForJson(`key?${queryOf(asked)}`);
      const link = addressOf("go", [["id", id], ["to", to], ["key", key]]);
      const why = "Each use of this link adds one, and leads on to the address.";
      fill(place, pasteBox(link, "Copy the link"), make("p.small", why));
    }, "p.bad");
  };
  const create = make("button", { type: "submit" }, "Create link");
  return make(
    "details.link",
    make("summary", "Count a link"),
    make("form.line", { submit }, field, create),
    place,
  );
}

async function groupParts(prefix: string, members: readonly Figures[]) {
  const [own, { key: readKey }] = await Promise.all([
    keyOf("prefix", prefix),
    keyOf("read", prefix),
  ]);
  const images = imageSnippets(addressOf("badge", [["prefix", prefix]]), "views");
  const Script = elementSnippet("tally-mark", [["prefix", prefix]]);
  const top = [["prefix", prefix], ["key", own.key], ["limit", "5"]] as const;
  const List = elementSnippet("tally-top", top);
  const title = make("input", { placeholder: /[^/]+(?=\/*$)/.exec(prefix)?.[0] ?? prefix });
  const sharedLink = () => {
    const pairs = [["prefix", prefix], ["key", readKey], ["title", title.value.trim()]] as const;
    return addressOf("p", pairs.filter(([, value]) => value !== ""));
  };
  const open = make("a.button", { href: sharedLink(), target: "_blank" }, "Open shared page");
  title.addEventListener("input", () => open.href = sharedLink());
  return [
    ...snippetBox(service.openReads ? { ...images, Script, List } : { List }),
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
  ];
}

/** Returns a button that copies the lines of all counters, with the key of their group. */
function copyAll(members: readonly Figures[], key: string) {
  const names = ["Markdown", "HTML", "CSV"] as const;
  const options = names.map((name) => make("option", name));
  const format = make("select", { "aria-label": "Format" }, ...options);
  const text = () => {
    const name = names[format.selectedIndex] ?? "Markdown";
    const lines = members.map(({ id, total }) => {
      const image = addressOf("hit.svg", [["id", id], ["key", key]]);
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
  return make(".line", copyButton("Copy all lines", text), format);
}
