import { deepStrictEqual, ok } from "node:assert/strict";
import { parseDay } from "../../../src/domain/history.ts";
import type { Caller } from "../caller.ts";
import type { RawAnswer } from "../../support/raw_http.ts";
import { authorizedRequest } from "../../support/secret.ts";
import {
  type Counter,
  type CounterState,
  lineOf,
  type Op,
  type Seen,
  type Setting,
} from "./counter_model.ts";
import { type Event, firstContradiction, linearize, told } from "./linearizable.ts";

/** Records requests and responses about counters over HTTP, to compare them with the model. */
export class Recorder {
  /** Number of responses by status, and of `broken` and `unsent` requests. */
  readonly outcomes: Record<string, number> = {};
  /** Answers that cannot be right whatever happened. */
  readonly #wrong: string[] = [];
  readonly #events = new Map<string, Event[]>();

  /** Operations that were answered with 200. */
  get answered(): number {
    return this.outcomes[200] ?? 0;
  }

  /** Sends one operation on one counter; tells whether it was answered with 200. */
  async send(
    caller: Caller,
    { url, id, op }: { url: string; id: string; op: Op },
  ): Promise<boolean> {
    const result = await this.#exchange(caller, url, requestOf(id, op));
    const seen = result.answer === undefined ? undefined : seenIn(op, result.answer);
    this.#note(id, { op, seen, ...result });
    return result.answer !== undefined;
  }

  /**
   * Imports counters in one request, which does not tell what they held; a part of them may be
   * stored where it fails.
   */
  async import(
    caller: Caller,
    { url, settings }: { url: string; settings: ReadonlyMap<string, Setting> },
  ): Promise<boolean> {
    const lines = [...settings].map(([id, setting]) => `${lineOf(setting, id)}\n`);
    const [first] = settings.values();
    const line = `POST /counters?mode=${first?.mode}`;
    const result = await this.#exchange(caller, url, authorizedRequest(line, lines.join("")));
    const told = JSON.stringify({ counters: lines.length });
    const body = result.answer?.body;
    if (body !== undefined && body !== told) this.#wrong.push(body);
    // The first line that failed sets the status, and the outcome of a later one may be unknown.
    const isUnknown = result.storedSome || settings.size > 1 && result.status === 503;
    const end = result.end ?? (isUnknown ? Infinity : undefined);
    for (const [id, op] of settings) this.#note(id, { ...result, op, seen: undefined, end });
    return body !== undefined;
  }

  /** Fails where what callers were told of a counter cannot be; returns what each may hold now. */
  check(): Map<string, Counter[]> {
    deepStrictEqual(this.#wrong.slice(0, 5), []);
    const left = new Map<string, Counter[]>();
    for (const [id, events] of this.#events) {
      const counters = linearize(events);
      ok(counters.length > 0, `${id} cannot have been:\n${told(firstContradiction(events))}`);
      left.set(id, counters);
    }
    return left;
  }

  /** The counters that something was done to. */
  get ids(): readonly string[] {
    return [...this.#events.keys()];
  }

  /** Returns the number of operations on a counter that may or may not have taken effect. */
  unknown(id: string): number {
    return this.events(id).filter(({ end }) => end === Infinity).length;
  }

  /** Returns the operations on a counter in the order of their ends. */
  events(id: string): readonly Event[] {
    return this.#events.get(id) ?? [];
  }

  async #exchange(caller: Caller, url: string, request: string): Promise<Exchange> {
    const { kind, answer, sentAt, milliseconds } = await caller.send(url, request);
    const status = answer?.status ?? 0;
    const outcome = answer?.status ?? kind;
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    // A response that says that no line was stored is believed, because each unknown operation
    // multiplies the orders to try.
    const storedSome = status === 503 && !answer?.body.includes("Lines stored for sure: 0.");
    const exchange = { status, storedSome, start: sentAt };
    if (status === 200) return { ...exchange, end: sentAt + milliseconds, answer };
    if (kind === "broken" || status === 504) return { ...exchange, end: Infinity };
    // Not thrown here, where it would end the callers and not the test.
    const well = kind === "unsent" || status === 503;
    if (!well) this.#wrong.push(`${request.split("\r\n")[0]}: ${status} ${answer?.body}`);
    return exchange;
  }

  /** An operation without an end did not happen. */
  #note(id: string, { op, seen, start, end }: Noted): void {
    if (end === undefined) return;
    const events = this.#events.get(id) ?? [];
    this.#events.set(id, events);
    events.push({ op, seen, start, end });
  }
}

/** Parses the state of a counter in a line of the service. */
export function heldIn(
  json: { hits: number; days?: Record<string, number>; seen?: number | null; at?: string },
): CounterState {
  const days = Object.entries(json.days ?? {}).map(([text, hits]): [number, number] => {
    return [parseDay(text) ?? NaN, hits];
  });
  const { hits, seen, at = "" } = json;
  const report = typeof seen === "number" ? { seen, at: Date.parse(at) } : seen;
  return { hits, days: new Map(days), report };
}

type Exchange = {
  status: number;
  /** True if an import that ended in 503 may have stored some of its lines. */
  storedSome: boolean;
  start: number;
  end?: number | undefined;
  /** The response, if its status is 200. */
  answer?: RawAnswer | undefined;
};
type Noted = { op: Op; seen: Seen | undefined; start: number; end?: number | undefined };

function requestOf(id: string, op: Op): string {
  const query = `?id=${encodeURIComponent(id)}`;
  switch (op.kind) {
    case "add":
      return authorizedRequest(`POST /hit${query}`);
    case "once": {
      const visitor = op.visitor === undefined ? "" : `&once=day&visitor=${op.visitor}`;
      const request = authorizedRequest(`POST /hit${query}${visitor}`);
      if (op.key === undefined) return request;
      return request.replace("\r\n", `\r\nIdempotency-Key: ${op.key}\r\n`);
    }
    case "set": {
      if (op.mode !== "add") return authorizedRequest(`PUT /counters${query}`, lineOf(op));
      return authorizedRequest(`PUT /counters${query}&mode=add`, lineOf(op))
        .replace("\r\n", `\r\nIdempotency-Key: ${op.name}\r\n`);
    }
    case "delete":
      return authorizedRequest(`DELETE /counters${query}`);
    case "total":
      return authorizedRequest(`GET /count${query}`);
    case "history":
      return authorizedRequest(`GET /counters${query}`);
  }
}

function seenIn(op: Op, { body, headers }: RawAnswer): Seen {
  const json = JSON.parse(body);
  switch (op.kind) {
    case "add":
    case "total":
      return json.hits;
    case "once":
      return { hits: json.hits, repeat: headers.get("x-tallymark") === "repeat" };
    default:
      return heldIn(json);
  }
}
