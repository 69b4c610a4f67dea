import { base } from "../../lib/base.ts";
import { save } from "../../lib/browser.ts";
import { ask } from "../../lib/choice.ts";
import { copy, copyButton } from "../../lib/clipboard.ts";
import { draw, fill, make, orExplain } from "../../lib/make.ts";
import { toast } from "../../lib/toast.ts";
import { errorMessage, grouped, plural } from "../../lib/words.ts";
import type { DayHits, Figures } from "../../lib/figures.ts";
import { call, callForJson, facts as service } from "../sign_in/session.ts";
import { elementSnippet, imageSnippets, queryOf, snippetBox } from "../../lib/snippets.ts";
import { rowDetail } from "../../lib/summary.ts";

/** A line of `/counters`. */
export interface Line {
  id: string;
  hits: number;
  days?: DayHits;
}

/** Returns the content of an opened counter. */
export function counterDetail(row: Figures, today: number, reload: () => Promise<void>) {
  const { id } = row;
  const paste = make("div");
  const query = queryOf([["id", id]]);
  let whole: Line | undefined;
  const load = async () => {
    whole = await fetchLine(id);
    return { days: whole.days };
  };
  showKey(id, paste);
  const design = make("a.button.primary", { href: `#badges&${query}` }, "Design a badge");
  const links = make(".line", design, badgeLink(query), ...menuOf(row, () => whole, reload));
  return rowDetail(row, { today, load }, paste, links);
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

/** The keys of counters and groups, by query. */
const keys: Map<string, Promise<OwnKey>> = new Map();

/** A key, and its version from 2 on. */
interface OwnKey {
  readonly key: string;
  readonly version?: number;
}

/** Returns a key, which is requested once. */
export function keyOf(what: "id" | "prefix" | "read", value: string) {
  const query = queryOf([[what, value]]);
  const found: Promise<OwnKey> = keys.get(query) ?? callForJson(`key?${query}`);
  keys.set(query, found);
  found.catch(() => keys.delete(query));
  return found;
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

// --- The menu, set and delete --------------------------------------------------------------------

/** Returns a button and the menu that it opens. */
function menuOf(row: Figures, wholeOf: () => Line | undefined, reload: () => Promise<void>) {
  const { id } = row;
  const name = make("b", { dir: "auto" }, id);
  const dots = [3, 8, 13].map((cx) => draw("circle", { cx, cy: 8, r: 1.5 }));
  const opener = make(
    "button.end",
    { popovertarget: "row-menu", "aria-label": `More for ${id}` },
    draw("svg.dots", { viewBox: "0 0 16 16", "aria-hidden": true }, ...dots),
  );
  const item = (name: string, act: () => unknown, look = "") =>
    make(`button${look}`, {
      autofocus: act === askTotal,
      click: () => {
        menu.hidePopover();
        act();
      },
    }, name);
  const saveLine = async () => saveCounter(wholeOf() ?? await fetchLine(id));
  const menu = make(
    ".menu",
    { id: "row-menu", popover: "auto" },
    item("Set the total…", askTotal),
    item("Copy the id", () => copy(id).then((said) => toast([said], []))),
    item(
      "Download history",
      () => saveLine().catch((error) => toast([errorMessage(error)], [])),
    ),
    item("Delete counter…", askDelete, ".danger"),
  );
  return [opener, menu];

  function askTotal() {
    const field = make("input", {
      type: "number",
      "aria-label": "Total",
      min: 0,
      max: 2 ** 52,
      required: true,
      value: row.total,
    });
    ask({
      words: ["Total of ", name, ". Past days stay as they are."],
      field,
      button: make("button.primary", "Save"),
      act: () => change(id, "PUT", { hits: Number(field.value) }, reload),
    });
    field.select();
  }

  function askDelete() {
    const days = Object.keys(wholeOf()?.days ?? {}).length;
    const held = plural(row.total, "view") + (days > 0 ? ` and ${plural(days, "day")}` : "");
    ask({
      words: ["Delete ", name, `, its ${held}? Badges that use it start again at 1.`],
      button: make("button.danger", "Delete"),
      act: () => change(id, "DELETE", undefined, reload),
    });
  }
}

function saveCounter(line: Line) {
  const name = line.id.replace(/[^\p{L}\p{N}._-]+/gu, "-");
  save(new Blob([`${JSON.stringify(line)}\n`]), `${name}.ndjson`);
}

/** Sets or deletes a counter. Returns a function that says so and offers to undo it. */
async function change(
  id: string,
  method: "PUT" | "DELETE",
  content: { hits: number } | undefined,
  reload: () => Promise<void>,
) {
  const name = make("b", { dir: "auto" }, id);
  const before: Line = await send(id, method, content);
  const days = Object.keys(before.days ?? {}).length;
  const views = plural(before.hits, "view");
  return () => {
    toast(
      content
        ? ["Set ", name, ` to ${plural(content.hits, "view")}. It had ${grouped(before.hits)}.`]
        : ["Deleted ", name, `: ${views}${days > 0 ? `, ${plural(days, "day")}` : ""}.`],
      [["Undo", () => restore({ ...before, id }, crypto.randomUUID())]],
    );
    reload();
  };

  async function redo() {
    try {
      (await change(id, method, content, reload))();
    } catch (error) {
      toast([errorMessage(error)], [["Try again", redo]]);
    }
  }

  /**
   * Undoes the change by an addition, which keeps what was counted since. `attempt` is its name, so
   * that trying again adds it once. If this fails, the last copy of the counter is in this page.
   */
  async function restore(before: Line, attempt: string) {
    const addition = content ? { hits: before.hits - content.hits } : before;
    try {
      await callForJson(`counters?${queryOf([["id", id], ["mode", "add"]])}`, {
        method: "PUT",
        headers: { "idempotency-key": attempt },
        body: JSON.stringify(addition),
      });
      toast(["Restored ", name, "."], [["Redo", redo]]);
      await reload();
    } catch (error) {
      toast([name, ` was not restored. ${errorMessage(error)}`], [
        ["Save it as a file", () => saveCounter(before)],
        ["Try again", () => restore(before, attempt)],
      ]);
    }
  }
}

async function send(id: string, method: string, content?: object) {
  const body = content ? JSON.stringify(content) : null;
  return await callForJson(`counters?${queryOf([["id", id]])}`, { method, body });
}
