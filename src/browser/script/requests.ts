import { isLoaded, load } from "./counters_view.ts";
import { byId, fill, grouped, make, orExplain, plural, save } from "./elements.ts";
import { call, callForJson } from "./session.ts";
import { isCounter } from "./table.ts";

// --- Recent requests -----------------------------------------------------------------------------

/** Explanations of outcomes. Other outcomes are shown by name. */
const REASONS: Record<string, string> = {
  counted: "",
  repeat: "already counted, same visitor or same request",
  bot: "a crawler, or a tool such as curl",
  prefetch: "prefetched, not viewed yet",
  skip: "your own visit",
  "other-site": "from a site that HIT_ORIGINS does not list",
  camo: "via an image proxy, visitor unknown",
  unauthorized: "without the secret or the key of this counter",
  "bad-query": "malformed query or duplicate parameter",
  "hit-needs-id": "sent without id=, so no counter is named",
  "bad-body": "sent with a body: the id belongs in the query",
  "group-full": "this group’s key created too many counters today",
  "not-a-counter": "the store holds something else under this id",
  internal: "an error, whose cause is in the log",
  "outcome-unknown": "the store did not confirm it in time",
};
const COUNTED = ["counted", "camo"];
const UNCERTAIN = ["internal", "outcome-unknown"];

interface Decision {
  time: string;
  id?: string;
  outcome: string;
}

const requests = make(".panel.more");

/** Shows the latest requests. The counters are loaded first, because only their ids are shown. */
export function showRequests() {
  return orExplain(requests, async () => {
    if (!isLoaded()) await load();
    const { decisions, rejected }: Record<"decisions" | "rejected", Decision[]> = await callForJson(
      "decisions",
    );
    const latest = [...decisions, ...rejected].sort((one, other) => other.time < one.time ? -1 : 1);
    fill(requests, latest.length === 0 ? make("p", "No hits yet.") : tableOf(latest));
  }, "p");
}

function tableOf(decisions: Decision[]) {
  const heads = ["Time", "Counter", "Counted", "Why"].map((name) =>
    make("th", { scope: "col" }, name)
  );
  const counted = decisions.filter(({ outcome }) => COUNTED.includes(outcome));
  const ids = new Set(counted.map(({ id }) => id));
  const lines = decisions.map(({ time, id, outcome }) => {
    const isCounted = COUNTED.includes(outcome);
    return make(
      "tr",
      make("td", new Date(time).toLocaleTimeString([], { hour12: false })),
      make("td", make("bdi", nameOf(id, ids.has(id)))),
      make(
        isCounted ? "td.up" : "td",
        isCounted ? "yes" : UNCERTAIN.includes(outcome) ? "unknown" : "no",
      ),
      make("td", REASONS[outcome] ?? outcome.replaceAll("-", " ")),
    );
  });
  return make("table.log", make("thead", make("tr", ...heads)), make("tbody", ...lines));
}

/** Returns the id of a request if it is that of a counter, because others are a stranger's text. */
function nameOf(id: string | undefined, wasCounted: boolean) {
  if (id === undefined) return "(no id)";
  return wasCounted || isCounter(id) ? id : "(unknown id)";
}

// --- Import and export ---------------------------------------------------------------------------

const given = make("textarea", {
  rows: 5,
  "aria-label": "Lines to import",
  placeholder: "12345 user/repo\nuser/other,678\nor lines of an export",
});
const file = make("input", {
  type: "file",
  "aria-label": "A file to import",
  change: async () => given.value = await file.files?.[0]?.text() ?? given.value,
});
const mode = make(
  "select",
  make("option", { value: "max" }, "Keep the larger number"),
  make("option", { value: "replace" }, "Replace the number"),
);
const changes = make("div", { role: "status" });

function viewHead(title: string, click: () => void, action: string) {
  return make(".head", make("h1", title), make(".end", make("button", { click }, action)));
}

/** Puts both views into the page. */
export function initRequests() {
  byId("requests").append(
    viewHead("Recent requests", showRequests, "Refresh"),
    make("p.lead", "The last requests since the server started: counted or not, and why."),
    requests,
  );
  byId("data").append(
    viewHead("Data", exportAll, "Export everything"),
    make(
      ".panel.more",
      make(
        "form",
        { submit: tryImport },
        given,
        file,
        make("label", "Existing counters: ", mode),
        make("button.primary", { type: "submit" }, "Show what would change"),
      ),
      changes,
    ),
  );
}

/**
 * Converts a line to an import line. Accepts "number id" and "id number", also with 12,345, CSV of
 * either, and import lines. In CSV with two numbers, the first is the id.
 */
function lineFrom(text: string, index: number) {
  if (text === "" || text.startsWith("{")) return text;
  const first = /^"?(\d{1,3}(?:[.,]\d{3})+(?=["\s])|\d+)"?[\s,;]+(.+)$/.exec(text);
  const last = /^(.+?)[\s,;]+"?(\d{1,3}(?:[.,]\d{3})+|\d+)"?$/.exec(text);
  const isCsv = /[,;]\s*"?[\d.,]+"?$/.test(text) && !/^[\d.,]*[.,][\d.,]*\s/.test(text);
  const isLast = last && (!first || isCsv);
  const [, hits, id] = isLast ? [text, last[2], last[1]] : first ?? [];
  if (hits && id) {
    return JSON.stringify({
      id: id.replace(/^"(.*)"$/, "$1"),
      hits: Number(hits.replace(/[.,]/g, "")),
    });
  }
  if (index === 0) return "";
  throw new Error(`Line ${index + 1} is not an id with a number: ${text.slice(0, 40)}`);
}

function tryImport(event: Event) {
  event.preventDefault();
  return orExplain(changes, async () => {
    const lines = given.value.split("\n").map((line, index) => lineFrom(line.trim(), index));
    const body = lines.join("\n");
    const path = `counters?mode=${mode.value}`;
    const tried = await callForJson(`${path}&dry=1`, { method: "POST", body });
    const first: { id: string; before: number; after: number }[] = tried.changes.slice(0, 100);
    const write = () =>
      orExplain(changes, async () => {
        const done = await callForJson(path, { method: "POST", body });
        fill(changes, `Imported ${plural(done.counters, "counter")}.`);
        given.value = "";
        await load();
      });
    fill(
      changes,
      make("p", `${plural(tried.counters, "counter")}, ${grouped(tried.changed)} would change.`),
      make(
        "ul",
        ...first.map(({ id, before, after }) =>
          make("li", `${id}: ${grouped(before)} → ${grouped(after)}`)
        ),
      ),
      make("button.primary", { click: write }, "Import"),
    );
  });
}

/** Saves every counter with all its days. Throws away a truncated response. */
function exportAll() {
  return orExplain(changes, async () => {
    const file = await (await call("counters")).blob();
    const end = await file.slice(-200).text();
    if (!/\{"counters":\d+[^\n]*\}\n?$/.test(end)) {
      throw new Error("The list was cut off: export again.");
    }
    save(file, "counters.ndjson");
  });
}

/** Removes the owner's data from the document. Typed lines stay if the session only ended. */
export function forgetRequests(keepsTyped: boolean) {
  fill(requests);
  fill(changes);
  if (!keepsTyped) given.value = "";
}
