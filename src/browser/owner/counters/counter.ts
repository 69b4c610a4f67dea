import { base } from "../../lib/browser.ts";
import { copyButton } from "../../lib/clipboard.ts";
import { fill, make, orExplain } from "../../lib/make.ts";
import type { Figures } from "../../lib/figures.ts";
import { askTotal } from "./changes.ts";
import { call, callForJson, facts as service, type Line } from "../sign_in/session.ts";
import { elementSnippet, imageSnippets, queryOf, snippetBox } from "../../lib/snippets.ts";
import { rowDetail } from "../../lib/summary.ts";
import { selectButton } from "./selection.ts";
import { shown } from "./shown.ts";

/** Returns the content of an opened counter. */
export function counterDetail(row: Figures) {
  const { id } = row;
  const paste = make("div");
  const query = queryOf([["id", id]]);
  showKey(id, paste);
  const design = make("a.button.primary", { href: `#badges&${query}` }, "Design a badge");
  const links = make(
    ".line",
    design,
    badgeLink(query),
    make("button", { click: () => askTotal(row) }, "Set the total…"),
    copyButton("Copy the id", () => id),
    selectButton([row]),
  );
  return rowDetail(row, shown.today, fetchLine(id), paste, linkPart(id), links);
}

/** Returns a link to the badge of a query, if others can read it. */
export function badgeLink(query: string) {
  const target = { href: `badge?${query}`, target: "_blank" };
  return service.openReads && make("a.button", target, "Open badge");
}

async function fetchLine(id: string): Promise<Line> {
  const text = await (await call(`counters?${queryOf([["id", id]])}`)).text();
  return JSON.parse(text.split("\n")[0] ?? "");
}

/** A key, and its version from 2 on. */
interface OwnKey {
  readonly key: string;
  readonly version?: number;
}

export function keyOf(what: "id" | "prefix" | "read", value: string): Promise<OwnKey> {
  return callForJson(`key?${queryOf([[what, value]])}`);
}

function showKey(id: string, place: HTMLElement) {
  return orExplain(place, async () => {
    const own = await keyOf("id", id);
    const { key } = own;
    const address = new URL(`hit.svg?${queryOf([["id", id], ["key", key]])}`, base).href;
    const { Markdown, HTML, URL: url } = imageSnippets(address, "views");
    const Script = elementSnippet("tally-mark", [["counter", id], ["key", key]]);
    fill(
      place,
      ...snippetBox({ Markdown, HTML, Script, URL: url }),
      make("p.small", "Every view adds one, and shows the number."),
      ...keyParts(own, "This key can count this counter and nothing else; it may be public."),
    );
  }, "p.small");
}

/** Returns a key with its copy button and its purpose. */
export function keyParts({ key, version }: OwnKey, purpose: string) {
  const copying = copyButton("Copy", () => key, "Copy the key");
  return [
    make("h3", version === undefined ? "Key" : `Key, version ${version}`),
    make(".paste", make("code", key), copying),
    make("p.small", purpose),
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
      const query = queryOf([["id", id], ["to", to], ["key", key]]);
      const { href } = new URL(`go?${query}`, base);
      const copying = copyButton("Copy", () => href, "Copy the link");
      const why = "Each use of this link adds one, and leads on to the address.";
      fill(place, make(".paste", make("code", href), copying), make("p.small", why));
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
