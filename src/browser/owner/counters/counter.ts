import { base } from "../../lib/base.ts";
import { copy, copyButton } from "../../lib/clipboard.ts";
import { draw, fill, make, orExplain } from "../../lib/make.ts";
import { toast } from "../../lib/toast.ts";
import { errorMessage } from "../../lib/words.ts";
import type { Figures } from "../../lib/figures.ts";
import { askDelete, askMove, askTotal, saveLines } from "./changes.ts";
import { call, callForJson, facts as service, type Line } from "../sign_in/session.ts";
import { elementSnippet, imageSnippets, queryOf, snippetBox } from "../../lib/snippets.ts";
import { rowDetail } from "../../lib/summary.ts";
import { shown } from "./shown.ts";

/** Returns the content of an opened counter. */
export function counterDetail(row: Figures) {
  const { id } = row;
  const paste = make("div");
  const query = queryOf([["id", id]]);
  showKey(id, paste);
  const design = make("a.button.primary", { href: `#badges&${query}` }, "Design a badge");
  const links = make(".line", design, badgeLink(query), ...menuOf(row));
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
    const why = make("p.small");
    fill(
      place,
      ...snippetBox({ Markdown, HTML, Script, URL: url }, (name) => {
        why.textContent = name === "Script"
          ? "It counts a view of the page and shows the number."
          : "Every view of this image adds one.";
      }),
      why,
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

/** Returns a button and the menu that it opens. */
function menuOf(row: Figures) {
  const { id } = row;
  const dots = [3, 8, 13].map((cx) => draw("circle", { cx, cy: 8, r: 1.5 }));
  const opener = make(
    "button.end",
    { popovertarget: "row-menu", "aria-label": `More for ${id}` },
    draw("svg.dots", { viewBox: "0 0 16 16", "aria-hidden": true }, ...dots),
  );
  const say = (words: string) => toast([words], []);
  const item = (name: string, act: () => unknown, look = "") =>
    make(`button${look}`, {
      autofocus: name.startsWith("Set"),
      click: async () => {
        menu.hidePopover();
        await Promise.try(act).catch((error) => say(errorMessage(error)));
      },
    }, name);
  const menu = make(
    ".menu",
    { id: "row-menu", popover: "auto" },
    item("Set the total…", () => askTotal(row)),
    item("Copy the id", async () => say(await copy(id))),
    item("Download history", async () => saveLines(id, [await fetchLine(id)])),
    // The service takes an id that ends in a slash for the prefix of a group.
    !id.endsWith("/") && item("Rename…", () => askMove(["id", id], [row])),
    item("Delete counter…", async () => askDelete(["id", id], [await fetchLine(id)]), ".danger"),
  );
  return [opener, menu];
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
