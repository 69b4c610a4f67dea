import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../src/domain/calendar.ts";
import { formatDay } from "../../src/domain/history.ts";
import { type Seen, textOf } from "./linearizability/counter_model.ts";
import { heldIn } from "./linearizability/recorder.ts";
import { authorized } from "../support/secret.ts";
import { pause } from "./load.ts";

/** Imports of ever new counters, one after the other, until they are stopped. */
export interface Imports extends AsyncDisposable {
  /** Number of imports that were stored completely, and number of those that were not. */
  readonly stored: number;
  readonly refused: number;
  stop(): Promise<void>;
  /** Fails where an import stored something else than it told. */
  check(held: ReadonlyMap<string, Seen>): void;
}

const LINES = 100;
/** Some days ago, for the days of the lines. */
const DAY = createCalendar("UTC").today() - 20;
/** Milliseconds between one import and the next, as each makes the store larger. */
const REST_MS = 20;

type Told = { text: string; status: number; detail: string };

/** Starts to import. */
export function startImports(url: string): Imports {
  const all: Told[] = [];
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      const text = linesOf(all.length);
      const body = `${text}\n`;
      const answer = await fetch(`${url}/counters`, { method: "POST", headers: authorized, body });
      const { status } = answer;
      const json = await answer.json();
      if (status === 200) deepStrictEqual(json, { counters: LINES });
      all.push({ text, status, detail: json.detail });
      await pause(REST_MS);
    }
  })();
  const stop = async () => {
    stopped = true;
    await done;
  };
  return {
    get stored() {
      return all.filter(({ status }) => status === 200).length;
    },
    get refused() {
      return all.filter(({ status }) => status !== 200).length;
    },
    stop,
    check(held) {
      for (const told of all) checkOne(told, held);
    },
    [Symbol.asyncDispose]: stop,
  };
}

function linesOf(number: number): string {
  return Array.from({ length: LINES }, (_, line) =>
    JSON.stringify({
      // Not in their order, as people send them.
      id: `import-${number}-${(line * 37) % LINES}`,
      hits: 1000 + line,
      days: { [formatDay(DAY)]: line + 1, [formatDay(DAY - 400)]: 7 },
    })).join("\n");
}

function checkOne({ text, status, detail }: Told, held: ReadonlyMap<string, Seen>): void {
  const lines = text.split("\n").map((line) => JSON.parse(line));
  const there = lines.filter(({ id }) => held.has(id));
  for (const line of there) strictEqual(textOf(held.get(line.id) ?? 0), textOf(heldIn(line)));
  if (status === 200) return strictEqual(there.length, LINES);
  match(String(status), /^50[34]$/, detail);
  const told = Number(/Lines stored for sure: (\d+)\./.exec(detail)?.[1]);
  // Imports without a response may be stored as well.
  ok(status === 503 ? there.length === told : there.length >= told, `${there.length}: ${detail}`);
}
