import { byId, fill, make, orExplain, tableOf } from "../../lib/make.ts";
import { callForJson } from "../sign_in/session.ts";
import { timeText } from "../../lib/words.ts";

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
  /** The words that show that a robot sent it. */
  crawler?: string;
  /** True if the key was made with an earlier secret. */
  earlierKey?: true;
}

const requests = byId("requests");

/** Shows the latest requests. */
export function showRequests() {
  return orExplain(requests, async () => {
    const { decisions, rejected }: Record<"decisions" | "rejected", Decision[]> = await callForJson(
      "decisions",
    );
    const latest = [...decisions, ...rejected].sort((one, other) => other.time < one.time ? -1 : 1);
    fill(requests, latest.length === 0 ? make("p", "No hits yet.") : logOf(latest));
  }, "p");
}

function logOf(decisions: Decision[]) {
  const rows = decisions.map(({ time, id, outcome, crawler = "", earlierKey }) => {
    const reason = REASONS[outcome] ?? outcome.replaceAll("-", " ");
    return [
      timeText(Date.parse(time)),
      make("bdi", id ?? "(no id)"),
      COUNTED.includes(outcome)
        ? make("span.up", "yes")
        : UNCERTAIN.includes(outcome)
        ? "unknown"
        : "no",
      [reason, crawler, earlierKey ? "earlier key" : ""].filter((text) => text !== "").join(", "),
    ];
  });
  const heads = ["Time", "Counter", "Counted", "Why"];
  return tableOf("table.log", heads.map((head) => [head, "td"]), rows);
}

byId("refresh-requests", { click: showRequests });
