// @ts-check
/// <reference lib="dom" />
import { chart } from "./chart.js";
import {
  announce,
  arrowed,
  copyButton,
  draw,
  grouped,
  make,
  messageOf,
  plural,
  save,
  tabs,
  toast,
} from "./elements.js";
import { dateText, dayNumber, figuresOf } from "./figures.js";
import { call, here, Refused } from "./session.js";
import { elementSnippet, imageSnippets, queryOf } from "./snippets.js";

/**
 * A line of `/counters`: a counter with its days.
 * @typedef {{ id: string, hits: number, days?: Record<string, number> }} Line
 */

/** The number that was being typed when a session ended, so that it is there again. @type {Map<string, string>} */
export const drafts = new Map();

/** A counter's days back to here are asked for, all of them when `/counters` is asked for one. */
const YEAR = 400;

/**
 * What an opened row shows.
 * @param {import("./figures.js").Figures} row
 * @param {{ today: number, openReads: boolean, reload: () => Promise<void> }} page
 */
export function counterDetail(row, { today, openReads, reload }) {
  const { id } = row;
  const facts = make("p", { class: "facts" });
  const views = chart(id, 200, "30d", () => undefined);
  const paste = make("div");
  const menuPlace = make("div", { class: "end" });
  const element = make(
    "div",
    { class: "split" },
    make("div", {}, views.element, facts),
    make(
      "div",
      {},
      paste,
      make(
        "div",
        { class: "line" },
        make(
          "a",
          { class: "button primary", href: `#badges&${queryOf([["id", id]])}` },
          "Design a badge",
        ),
        ...(openReads
          ? [
            make("a", {
              class: "button",
              href: `badge?${queryOf([["id", id]])}`,
              target: "_blank",
              rel: "noopener",
            }, "Open badge"),
          ]
          : []),
        menuPlace,
      ),
    ),
  );
  views.show(row.days, today);
  describe(facts, row, today);
  showKey(id, paste);
  /** @type {Line | undefined} */
  let whole;
  fetchLine(id).then((line) => {
    whole = line;
    const year = figuresOf(line, today, YEAR);
    views.show(year.days, today);
    describe(facts, year, today, line);
  }, (error) => facts.append(messageOf(error)));
  menuFor(menuPlace, row, () => whole, reload);
  return element;
}

/** @param {string} id @returns {Promise<Line>} */
async function fetchLine(id) {
  const text = await (await call(`counters?${queryOf([["id", id]])}`)).text();
  return JSON.parse(text.split("\n")[0] ?? "");
}

/** @param {HTMLElement} place @param {import("./figures.js").Figures} row @param {number} today @param {Line} [line] */
function describe(place, { month }, today, { days = {} } = { id: "", hits: 0 }) {
  const all = Object.entries(days);
  const [best] = [...all].sort(([, one], [, other]) => other - one);
  const first = all.map(([day]) => day).sort()[0];
  const since = first === undefined ? today : dayNumber(first);
  const span = Math.max(1, Math.min(30, today - since + 1));
  const date = (/** @type {string} */ day) =>
    dateText(dayNumber(day), { year: "numeric", month: "short", day: "numeric" });
  const told = (/** @type {string} */ name, /** @type {string} */ value) =>
    make("span", {}, `${name} `, make("b", {}, value));
  place.replaceChildren(
    ...(best ? [told("Best day", `${date(best[0])}, ${grouped(best[1])}`)] : []),
    told("Daily average", grouped(Math.round(month / span))),
    ...(first ? [told("Daily history since", date(first))] : []),
  );
}

/** The keys of counters and families, by query. @type {Map<string, Promise<string>>} */
const keys = new Map();

/** @param {boolean} keepsTyped */
export function forgetKeys(keepsTyped) {
  keys.clear();
  if (!keepsTyped) drafts.clear();
}

/** Asks for a key once. @param {"id" | "prefix"} what @param {string} value */
export function keyOf(what, value) {
  const query = queryOf([[what, value]]);
  const found = keys.get(query) ??
    call(`key?${query}`).then((answer) => answer.json()).then(({ key }) => String(key));
  keys.set(query, found);
  found.catch(() => keys.delete(query));
  return found;
}

/** @param {string} id @param {HTMLElement} place */
async function showKey(id, place) {
  try {
    const key = await keyOf("id", id);
    const address = new URL(`hit.svg?${queryOf([["id", id], ["key", key]])}`, here).href;
    const script = elementSnippet(new URL("tally.js", here).href, [["counter", id], ["key", key]]);
    /** @type {Map<string, string>} */
    const texts = new Map([...imageSnippets(address, "views"), ["Script", script]]);
    const names = ["Markdown", "HTML", "Script", "URL"];
    const code = make("code", {}, texts.get("Markdown") ?? "");
    const why = make("p", { class: "small" }, WHY_IMAGE);
    const choose = (/** @type {string} */ name) => {
      code.textContent = texts.get(name) ?? "";
      why.textContent = name === "Script" ? WHY_SCRIPT : WHY_IMAGE;
    };
    place.replaceChildren(
      tabs("To paste", "paste", names, "Markdown", choose),
      make(
        "div",
        { class: "paste", id: "paste", role: "tabpanel", "aria-label": "To paste" },
        code,
        copyButton("Copy", () => code.textContent ?? "", { "aria-label": "Copy the snippet" }),
      ),
      why,
      make("h3", {}, "Key"),
      make(
        "div",
        { class: "paste" },
        make("code", {}, key),
        copyButton("Copy", () => key, { "aria-label": "Copy the key" }),
      ),
      make(
        "p",
        { class: "small" },
        "It opens this counter and nothing else, so it may stand in public.",
      ),
    );
  } catch (error) {
    place.replaceChildren(make("p", { class: "small" }, messageOf(error)));
  }
}

const WHY_IMAGE = "Every view of this image adds one.";
const WHY_SCRIPT = "It counts a view of the page and shows the number.";

// --- The menu, set and delete --------------------------------------------------------------------

/**
 * @param {HTMLElement} place
 * @param {import("./figures.js").Figures} row
 * @param {() => Line | undefined} wholeOf the counter with all its days, once it was loaded
 * @param {() => Promise<void>} reload
 */
function menuFor(place, row, wholeOf, reload) {
  const { id } = row;
  const dots = draw(
    "svg",
    { class: "dots", viewBox: "0 0 16 16", "aria-hidden": "true" },
    ...[3, 8, 13].map((cx) => draw("circle", { cx, cy: 8, r: 1.5 })),
  );
  const opener = make("button", {
    type: "button",
    "aria-haspopup": "menu",
    "aria-expanded": "false",
    "aria-label": `More for ${id}`,
    click: () => opener.getAttribute("aria-expanded") === "true" ? close() : showMenu(),
  }, dots);
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
    place.replaceChildren(opener);
    opener.setAttribute("aria-expanded", "false");
    drafts.delete(id);
    if (focus) opener.focus();
  }

  /** @param {HTMLElement} panel */
  function show(panel) {
    place.replaceChildren(opener, panel);
    opener.setAttribute("aria-expanded", "true");
    const first = panel.querySelector("input, button");
    if (first instanceof HTMLElement) first.focus();
    if (first instanceof HTMLInputElement) first.select();
  }

  function showMenu() {
    /** @type {[string, (() => void), string?][]} */
    const items = [
      ["Set the total…", showSet],
      ["Copy the id", () => copyId().finally(close)],
      ["Download history", () => saveLine().catch(failed).finally(close)],
      ["Delete counter…", showDelete, "danger"],
    ];
    const buttons = items.map(([name, act, kind]) =>
      make(
        "button",
        { type: "button", role: "menuitem", class: kind, tabindex: -1, click: act },
        name,
      )
    );
    show(
      make("div", {
        class: "menu",
        role: "menu",
        "aria-label": `More for ${id}`,
        keydown: (event) => arrowed(event, buttons),
      }, ...buttons),
    );
  }

  async function copyId() {
    await navigator.clipboard.writeText(id).then(() => announce("Copied"), failed);
  }

  async function saveLine() {
    saveCounter(wholeOf() ?? await fetchLine(id));
  }

  /** @param {unknown} error */
  function failed(error) {
    toast([messageOf(error)], []);
  }

  function showSet() {
    const field = make("input", {
      id: "new-total",
      type: "number",
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      required: true,
      value: drafts.get(id) ?? row.total,
      input: () => drafts.set(id, field.value),
    });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      change(id, "PUT", { hits: Number(field.value) }, reload).then((done) =>
        done && drafts.delete(id)
      );
    };
    show(make(
      "form",
      { class: "menu ask", submit },
      make("label", { for: "new-total" }, "Total"),
      field,
      make("p", { class: "small" }, "Past days stay as they are."),
      make(
        "div",
        { class: "line" },
        make("button", { class: "primary" }, "Save"),
        make("button", { type: "button", click: () => close() }, "Cancel"),
      ),
    ));
  }

  function showDelete() {
    const days = Object.keys(wholeOf()?.days ?? {}).length;
    const held = [plural(row.total, "view"), ...(days > 0 ? [plural(days, "day")] : [])].join(
      " and ",
    );
    const remove = () => change(id, "DELETE", undefined, reload);
    show(make(
      "div",
      { class: "menu ask", role: "alertdialog", "aria-labelledby": "ask" },
      make(
        "p",
        { id: "ask" },
        "Delete ",
        make("b", { dir: "auto" }, id),
        `, its ${held}? Badges that use it will begin again at 1.`,
      ),
      make(
        "div",
        { class: "line" },
        make("button", { type: "button", class: "danger", click: remove }, "Delete"),
        make("button", { type: "button", click: () => close() }, "Keep"),
      ),
    ));
  }

  if (drafts.has(id)) queueMicrotask(showSet);
}

/** @param {Line} line */
function saveCounter(line) {
  save(
    new Blob([`${JSON.stringify(line)}\n`]),
    `${line.id.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.ndjson`,
  );
}

/**
 * Sets or deletes a counter, and offers to undo it with what it held; returns whether it was done.
 * @param {string} id
 * @param {"PUT" | "DELETE"} method
 * @param {{ hits: number } | undefined} content
 * @param {() => Promise<void>} reload
 */
async function change(id, method, content, reload) {
  const name = make("b", { dir: "auto" }, id);
  try {
    /** @type {Line} */
    const before = await send(id, method, content);
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
    if (!isOver(error)) toast([messageOf(error)], []);
    return false;
  }

  /** Sends back what the counter held. Where that fails, it is on this page alone, so that it can be saved. @param {Line} before */
  async function restore(before) {
    try {
      await send(id, "PUT", before);
      toast(["Restored ", name, "."], [["Redo", () => change(id, method, content, reload)]]);
      await reload();
    } catch (error) {
      if (isOver(error)) return;
      toast([name, ` was not restored. ${messageOf(error)}`], [
        ["Save it as a file", () => saveCounter(before)],
        ["Try again", () => restore(before)],
      ]);
    }
  }
}

/** @param {string} id @param {string} method @param {object} [content] */
async function send(id, method, content) {
  const body = content === undefined ? null : JSON.stringify(content);
  return await (await call(`counters?${queryOf([["id", id]])}`, { method, body })).json();
}

/** Whether the session is over, which has a view of its own. @param {unknown} error */
function isOver(error) {
  return error instanceof Refused && error.status === 401;
}
