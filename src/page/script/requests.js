// @ts-check
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { isCounter, load } from "./counters.js";
import { grouped, make, messageOf, plural, save } from "./elements.js";
import { call } from "./session.js";

// --- Recent requests -----------------------------------------------------------------------------

/** Whether it counted, and why, in plain words. @type {Record<string, [counted: string, why: string]>} */
const DECISIONS = {
  counted: ["yes", ""],
  repeat: ["no", "this visitor or this request was counted before"],
  bot: ["no", "a crawler, or a tool such as curl"],
  prefetch: ["no", "a browser fetched it before anyone asked to see it"],
  camo: ["yes", "through an image proxy, behind which readers look alike"],
  unauthorized: ["no", "no secret and no key of this counter"],
  "bad-id": ["no", "the id cannot be a counter’s"],
  "bad-query": ["no", "something in the query cannot be understood, or is there twice"],
  "bad-body": ["no", "it has a body, but the id belongs in the query"],
  "bad-idempotency-key": ["no", "not an Idempotency-Key, or sent without the secret"],
  "method-not-allowed": ["no", "its method counts nothing"],
  "family-full": ["no", "this family’s key began too many counters today"],
  "not-a-counter": ["no", "the store holds something else under this id"],
  "counter-full": ["no", "the counter is full"],
  "store-unavailable": ["no", "the store could not be reached"],
  "overloaded": ["no", "too many hits were waiting"],
  "internal": ["unknown", "something went wrong, and the log has the cause"],
  "outcome-unknown": ["unknown", "the store did not confirm it in time"],
};

/** @typedef {{ time: string, id?: string, outcome: string }} Decision */

const requests = make("div");

/** @param {Event} event */
async function showRequests({ target }) {
  if (!(target instanceof HTMLDetailsElement) || !target.open) return;
  try {
    /** @type {Record<string, Decision[]>} */
    const lists = await (await call("decisions")).json();
    const latest = Object.values(lists).flat().sort((one, other) => other.time < one.time ? -1 : 1);
    requests.replaceChildren(
      latest.length === 0 ? make("p", {}, "No hit has come in yet.") : tableOf(latest),
    );
  } catch (error) {
    requests.replaceChildren(make("p", {}, messageOf(error)));
  }
}

/** @param {Decision[]} decisions */
function tableOf(decisions) {
  const heads = ["Time", "Counter", "Counted", "Why"].map((name) =>
    make("th", { scope: "col" }, name)
  );
  const lines = decisions.map(({ time, id, outcome }) => {
    const [counted, why] = DECISIONS[outcome] ?? ["no", outcome];
    return make(
      "tr",
      {},
      make("td", {}, new Date(time).toLocaleTimeString([], { hour12: false })),
      make("td", {}, make("bdi", {}, nameOf(id, counted === "yes"))),
      make("td", { class: counted === "yes" ? "up" : "" }, counted),
      make("td", {}, why),
    );
  });
  return make(
    "table",
    { class: "log" },
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...lines),
  );
}

/** The id of a request that was refused is a stranger's text: it is shown if it is one of the counters. @param {string | undefined} id @param {boolean} isCounted */
function nameOf(id, isCounted) {
  if (id === undefined) return "(no id)";
  return isCounted || isCounter(id) ? id : "(not a counter)";
}

// --- Import and export ---------------------------------------------------------------------------

const given = make("textarea", {
  rows: 5,
  "aria-label": "Lines to import",
  placeholder: "12345 user/repo\nuser/other,678\nor lines of an export",
  dragover: (event) => event.preventDefault(),
  drop: takeFile,
});
const mode = make(
  "select",
  { "aria-label": "What to do with numbers that are there" },
  make("option", { value: "replace" }, "Replace what is there"),
  make("option", { value: "max" }, "Keep the larger number"),
);
const changes = make("div", { role: "status" });

/** What stands below the table. */
export const more = make(
  "div",
  { class: "panel more" },
  make(
    "details",
    { id: "requests", toggle: showRequests },
    make(
      "summary",
      {},
      "Recent requests ",
      make("small", {}, "what was counted, what was not, and why"),
    ),
    requests,
  ),
  make(
    "details",
    { id: "import" },
    make("summary", {}, "Import and export"),
    make(
      "form",
      { submit: tryImport },
      given,
      make("input", { type: "file", "aria-label": "A file to import", change: takeFile }),
      mode,
      make("button", { class: "primary" }, "Show what would change"),
      make("button", { type: "button", click: exportAll }, "Export everything"),
    ),
    changes,
  ),
);

/** @param {Event} event */
async function takeFile(event) {
  const files = event instanceof DragEvent
    ? event.dataTransfer?.files
    : event.target instanceof HTMLInputElement && event.target.files;
  if (!files || files[0] === undefined) return;
  event.preventDefault();
  given.value = await files[0].text();
}

/**
 * A line as the service takes it: "number id", "id number" (also with 12,345), CSV of either, or such a line already.
 * @param {string} text
 * @param {number} index
 */
function lineFrom(text, index) {
  if (text === "" || text.startsWith("{")) return text;
  const [, first, last] = /^(\d{1,3}(?:[.,]\d{3})+(?=\s)|\d+)[\s,;]+(.+)$/.exec(text) ?? [];
  const [, id = last, ...numbers] = first
    ? []
    : /^(.+?)(?:[\s,;]*[\s;](\d{1,3}(?:[.,]\d{3})+)|[\s,;]+(\d+))$/.exec(text) ?? [];
  const hits = numbers.find((number) => number) ?? first;
  if (id !== undefined) {
    return JSON.stringify({
      id: id.replace(/^"(.*)"$/, "$1"),
      hits: Number(hits?.replace(/[.,]/g, "")),
    });
  }
  if (index === 0) return "";
  throw new Error(`Line ${index + 1} is not an id with a number: ${text.slice(0, 40)}`);
}

/** @param {Event} event */
async function tryImport(event) {
  event.preventDefault();
  try {
    const body = given.value.split("\n").map((line, index) => lineFrom(line.trim(), index)).join(
      "\n",
    );
    const path = `counters?mode=${mode.value}`;
    const tried = await (await call(`${path}&dry=1`, { method: "POST", body })).json();
    /** @type {{ id: string, before: number, after: number }[]} */
    const first = tried.changes.slice(0, 100);
    const write = async () => {
      try {
        const done = await (await call(path, { method: "POST", body })).json();
        changes.replaceChildren(`Imported ${plural(done.counters, "counter")}.`);
        given.value = "";
        await load();
      } catch (error) {
        changes.replaceChildren(messageOf(error));
      }
    };
    changes.replaceChildren(
      make(
        "p",
        {},
        `${plural(tried.counters, "counter")}, ${grouped(tried.changed)} would change.`,
      ),
      make(
        "ul",
        {},
        ...first.map(({ id, before, after }) =>
          make("li", {}, `${id}: ${grouped(before)} → ${grouped(after)}`)
        ),
      ),
      make("button", { type: "button", class: "primary", click: write }, "Import"),
    );
  } catch (error) {
    changes.replaceChildren(messageOf(error));
  }
}

/** Saves every counter with all its days; an answer that was cut off is not saved. */
async function exportAll() {
  try {
    const file = await (await call("counters")).blob();
    const end = await file.slice(-200).text();
    if (!/\{"counters":\d+[^\n]*\}\n?$/.test(end)) {
      throw new Error("The list was cut off: export again.");
    }
    save(file, "counters.ndjson");
  } catch (error) {
    changes.replaceChildren(messageOf(error));
  }
}

/** Takes the owner's data out of the document; what was typed stays where a session has only ended. @param {boolean} keepsTyped */
export function forgetRequests(keepsTyped) {
  requests.replaceChildren();
  changes.replaceChildren();
  if (!keepsTyped) given.value = "";
  more.querySelector("details")?.removeAttribute("open");
}
