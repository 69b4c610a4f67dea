import {
  arrowed,
  copy,
  copyButton,
  draw,
  errorMessage,
  fill,
  here,
  make,
  orExplain,
  plural,
  save,
  toast,
} from "../../lib/elements.ts";
import type { DayHits, Figures } from "../../lib/figures.ts";
import { call, callForJson, facts as service, isOver } from "../sign_in/session.ts";
import { elementSnippet, imageSnippets, queryOf, snippetBox } from "../../lib/snippets.ts";
import { rowDetail } from "../../lib/summary.ts";

/** A line of `/counters`. */
export interface Line {
  id: string;
  hits: number;
  days?: DayHits;
}

/** Totals that were typed when a session ended, by id. */
export const drafts: Map<string, string> = new Map();

/** Returns the content of an opened counter. */
export function counterDetail(row: Figures, today: number, reload: () => Promise<void>) {
  const { id } = row;
  const paste = make("div");
  const menu = make(".end");
  const query = queryOf([["id", id]]);
  let whole: Line | undefined;
  const load = async () => {
    whole = await fetchLine(id);
    return { days: whole.days };
  };
  showKey(id, paste);
  menuFor(menu, row, () => whole, reload);
  const design = make("a.button.primary", { href: `#badges&${query}` }, "Design a badge");
  const links = make(".line", design, badgeLink(query), menu);
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

export function forgetKeys(keepsTyped: boolean) {
  keys.clear();
  if (!keepsTyped) drafts.clear();
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
    const address = new URL(`hit.svg?${queryOf([["id", id], ["key", key]])}`, here).href;
    const { Markdown, HTML, URL: url } = imageSnippets(address, "views");
    const Script = elementSnippet("tally-mark", [["counter", id], ["key", key]]);
    const why = make("p.small");
    fill(
      place,
      ...snippetBox("paste", { Markdown, HTML, Script, URL: url }, "Markdown", (name) => {
        why.textContent = name === "Script"
          ? "It counts a view of the page and shows the number."
          : "Every view of this image adds one.";
        return "Copy";
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

function menuFor(
  place: HTMLElement,
  row: Figures,
  wholeOf: () => Line | undefined,
  reload: () => Promise<void>,
) {
  const { id } = row;
  const dots = [3, 8, 13].map((cx) => draw("circle", { cx, cy: 8, r: 1.5 }));
  const opener = make(
    "button",
    {
      "aria-haspopup": "menu",
      "aria-expanded": false,
      "aria-label": `More for ${id}`,
      click: () => opener.ariaExpanded === "true" ? close() : showMenu(),
    },
    draw("svg.dots", { viewBox: "0 0 16 16", "aria-hidden": true }, ...dots),
  );
  place.append(opener);
  place.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || place.lastChild === opener) return;
    event.stopPropagation();
    close();
  });
  place.addEventListener("focusout", (event) => {
    const to = event.relatedTarget;
    if (to instanceof Node && !place.contains(to) && place.querySelector("[role=menu]")) {
      close(false);
    }
  });

  function close(focus = true) {
    fill(place, opener);
    opener.ariaExpanded = "false";
    drafts.delete(id);
    if (focus) opener.focus();
  }

  function show(panel: HTMLElement) {
    fill(place, opener, panel);
    opener.ariaExpanded = "true";
    panel.querySelector("button")?.focus();
    panel.querySelector("input")?.select();
  }

  function showMenu() {
    const item = (name: string, click: () => void, danger = "") =>
      make(`button${danger}`, { role: "menuitem", tabindex: -1, click }, name);
    const saveLine = async () => saveCounter(wholeOf() ?? await fetchLine(id));
    const failed = (error: unknown) => toast([errorMessage(error)], []);
    const items = [
      item("Set the total…", showSet),
      item("Copy the id", () => copy(id).then((said) => toast([said], [])).finally(close)),
      item("Download history", () => saveLine().catch(failed).finally(close)),
      item("Delete counter…", showDelete, ".danger"),
    ];
    const keydown = (event: KeyboardEvent) => arrowed(event, items);
    show(make(".menu", { role: "menu", "aria-label": `More for ${id}`, keydown }, ...items));
  }

  function showSet() {
    const field = make("input", {
      id: "new-total",
      type: "number",
      min: 0,
      max: 2 ** 52,
      required: true,
      value: drafts.get(id) ?? row.total,
      input: () => drafts.set(id, field.value),
    });
    const submit = async (event: Event) => {
      event.preventDefault();
      const isDone = await change(id, "PUT", { hits: Number(field.value) }, reload);
      if (isDone) drafts.delete(id);
    };
    show(make(
      "form.menu.ask",
      { submit },
      make("label", { for: "new-total" }, "Total"),
      field,
      make("p.small", "Past days stay as they are."),
      make(".line", make("button.primary", { type: "submit" }, "Save"), cancelButton()),
    ));
  }

  function cancelButton() {
    return make("button", { click: () => close() }, "Cancel");
  }

  function showDelete() {
    const days = Object.keys(wholeOf()?.days ?? {}).length;
    const held = plural(row.total, "view") + (days > 0 ? ` and ${plural(days, "day")}` : "");
    const click = () => change(id, "DELETE", undefined, reload);
    show(make(
      ".menu.ask",
      { role: "alertdialog", "aria-labelledby": "ask" },
      make(
        "p",
        { id: "ask" },
        "Delete ",
        make("b", { dir: "auto" }, id),
        `, its ${held}? Badges that use it start again at 1.`,
      ),
      make(".line", make("button.danger", { click }, "Delete"), cancelButton()),
    ));
  }

  if (drafts.has(id)) queueMicrotask(showSet);
}

function saveCounter(line: Line) {
  const name = line.id.replace(/[^\p{L}\p{N}._-]+/gu, "-");
  save(new Blob([`${JSON.stringify(line)}\n`]), `${name}.ndjson`);
}

/** Sets or deletes a counter, and offers to undo it. Returns true if it was done. */
async function change(
  id: string,
  method: "PUT" | "DELETE",
  content: { hits: number } | undefined,
  reload: () => Promise<void>,
) {
  const name = make("b", { dir: "auto" }, id);
  try {
    const before: Line = await send(id, method, content);
    const days = Object.keys(before.days ?? {}).length;
    const views = plural(before.hits, "view");
    toast(
      method === "PUT"
        ? ["Set ", name, `, which held ${views}.`]
        : ["Deleted ", name, `: ${views}${days > 0 ? `, ${plural(days, "day")}` : ""}.`],
      [["Undo", () => restore({ ...before, id })]],
    );
    await reload();
    return true;
  } catch (error) {
    if (!isOver(error)) toast([errorMessage(error)], []);
    return false;
  }

  /** Restores a counter. If this fails, its last copy is in this page, so it can be saved. */
  async function restore(before: Line) {
    try {
      await send(id, "PUT", before);
      toast(["Restored ", name, "."], [["Redo", () => change(id, method, content, reload)]]);
      await reload();
    } catch (error) {
      if (isOver(error)) return;
      toast([name, ` was not restored. ${errorMessage(error)}`], [
        ["Save it as a file", () => saveCounter(before)],
        ["Try again", () => restore(before)],
      ]);
    }
  }
}

async function send(id: string, method: string, content?: object) {
  const body = content ? JSON.stringify(content) : null;
  return await callForJson(`counters?${queryOf([["id", id]])}`, { method, body });
}
