import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { authorizedRequest } from "../support/secret.ts";
import type { Service } from "../support/service.ts";
import { Caller } from "./caller.ts";
import { pause } from "./load.ts";

/** Whom to send hits that are named, so that each may be sent until it is counted. */
export interface KeyedLoadOptions {
  /** The service that is there now; another one after each fault that ends it. */
  service: () => Pick<Service, "url">;
  callers: number;
  /** Number of counters that the hits are spread over; 20 by default. */
  ids?: number;
}

/** Callers that send each of their hits, with its own key, until it is answered 200. */
export interface KeyedLoad extends AsyncDisposable {
  /** Hits that were answered with their number. */
  readonly settled: number;
  /** Number of these that were answered by a repeat, because the first response was lost. */
  readonly repeated: number;
  /** Ends when every hit that was begun is settled. */
  stop(): Promise<void>;
  /**
   * Fails unless the store holds exactly the hits that were settled, and each of their numbers was
   * given once.
   */
  check(stored: ReadonlyMap<string, number>): void;
}

/** Delay before a caller sends a hit again, in milliseconds. */
const REST_MS = 20;

/** Starts them. */
export function startKeyedCallers({ service, callers, ids = 20 }: KeyedLoadOptions): KeyedLoad {
  const numbers = new Map<string, number[]>();
  let [settled, repeated] = [0, 0];
  let [stopping, givenUp] = [false, false];

  async function settle(caller: Caller): Promise<void> {
    const id = `c${Math.floor(Math.random() * ids)}`;
    const key = `Idempotency-Key: ${crypto.randomUUID()}\r\n`;
    const head = authorizedRequest(`POST /hit?id=${id}`).replace("\r\n", `\r\n${key}`);
    while (!givenUp) {
      const { answer } = await caller.send(service().url, head);
      if (answer?.status === 200) {
        numbers.set(id, [...numbers.get(id) ?? [], JSON.parse(answer.body).hits]);
        settled++;
        if (answer.headers.get("x-tallymark") === "repeat") repeated++;
        return;
      }
      ok(answer === undefined || answer.status >= 503, `answered ${answer?.status}`);
      await pause(REST_MS);
    }
  }

  const all = Array.from({ length: callers }, () => new Caller());
  const done = Promise.all(all.map(async (caller) => {
    while (!stopping) await settle(caller);
    caller.close();
  }));
  return {
    get settled() {
      return settled;
    },
    get repeated() {
      return repeated;
    },
    async stop() {
      stopping = true;
      await done;
    },
    check(stored) {
      for (const [id, given] of numbers) {
        const every = Array.from({ length: given.length }, (_, index) => index + 1);
        deepStrictEqual(given.toSorted((a, b) => a - b), every, `the numbers of ${id}`);
        strictEqual(stored.get(id), given.length, id);
      }
      strictEqual(stored.values().reduce((sum, hits) => sum + hits, 0), settled);
    },
    async [Symbol.asyncDispose]() {
      [stopping, givenUp] = [true, true];
      for (const caller of all) caller.close();
      await done;
    },
  };
}
