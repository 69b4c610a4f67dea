import { ok } from "node:assert/strict";
import { authorizedRequest } from "../support/secret.ts";
import type { Service } from "../support/service.ts";
import { Caller, type Result } from "./caller.ts";
import { Ledger } from "./ledger.ts";
import { waitForHits } from "./recovery.ts";

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Whom to send hits, and where to write down what becomes of them. */
export type LoadOptions = {
  service: Pick<Service, "url">;
  ledger?: Ledger;
  /** Number of counters that the hits are spread over; 20 by default. */
  ids?: number;
};

/** Milliseconds that a caller waits after an answer other than 200, as a sensible client would. */
const REST_MS = 100;
/**
 * Milliseconds between a response and the next hit of a caller while others get such answers. To
 * wait for the end of an outage takes seconds.
 */
const PACE_MS = 50;

/** One hit on `id` over a connection of its own. */
export async function hitOnce(
  { service, ledger }: LoadOptions,
  id = "home",
): Promise<Result> {
  const caller = new Caller();
  const result = await caller.send(service.url, hitHead(id));
  caller.close();
  ledger?.note(id, result);
  return result;
}

/**
 * Ends a service, in whichever way, once 200 callers were told of some hundred hits. Fails where a
 * hit that was answered was not counted.
 */
export async function endUnderLoad(
  options: LoadOptions,
  end: (load: Load) => Promise<unknown>,
): Promise<void> {
  await using load = startCallers({ ...options, callers: 200 });
  await waitForHits(load.ledger, 300 + Math.random() * 700);
  await end(load);
  await load.stop();
  load.ledger.checkOutcomes(200, "broken", "unsent", ...load.ledger.late);
}

/** Sends hits until it is stopped. */
export interface Load extends AsyncDisposable {
  readonly ledger: Ledger;
  /**
   * Waits for the hits in flight and closes every connection. A failed test does not wait for them.
   */
  stop(): Promise<void>;
}

/**
 * Starts callers, each of which sends the next hit as soon as it has the response to the last, or
 * soon after that during an outage.
 */
export function startCallers(options: LoadOptions & { callers: number }): Load {
  const { service, callers, ledger = new Ledger(), ids = 20 } = options;
  let stopped = false;
  let refusedAt = -Infinity;

  async function call(caller: Caller): Promise<void> {
    while (!stopped) {
      const id = randomId(ids);
      const result = await caller.send(service.url, hitHead(id));
      ledger.note(id, result);
      const isRefused = result.answer?.status !== 200;
      if (isRefused) refusedAt = performance.now();
      if (performance.now() - refusedAt < 3 * REST_MS) await pause(isRefused ? REST_MS : PACE_MS);
    }
    caller.close();
  }

  const all = Array.from({ length: callers }, () => new Caller());
  const done = Promise.all(all.map(call));
  const stop = async () => {
    stopped = true;
    await done;
  };
  return {
    ledger,
    stop,
    async [Symbol.asyncDispose]() {
      stopped = true;
      for (const caller of all) caller.close();
      await done;
    },
  };
}

/** Opens callers, each with a connection that the service has accepted. */
export async function openCallers({ url }: Pick<Service, "url">, count: number): Promise<Caller[]> {
  const callers = Array.from({ length: count }, () => new Caller());
  for (let first = 0; first < count; first += 500) {
    const some = callers.slice(first, first + 500);
    const results = await Promise.all(some.map((caller) => caller.send(url, HEALTH)));
    ok(results.every(({ answer }) => answer?.status === 200), "a caller is not answered");
  }
  return callers;
}

/**
 * Waits until the service has read everything that was sent to it before: it reads what comes in
 * its order.
 */
export async function readAll(service: Pick<Service, "url">): Promise<void> {
  const [caller] = await openCallers(service, 1);
  caller?.close();
}

/** Starts `rate` hits per second, whether or not earlier ones were answered. */
export function startSteady(options: LoadOptions & { rate: number }): Load {
  const { service, rate, ledger = new Ledger(), ids = 20 } = options;
  const all: Caller[] = [];
  const idle: Caller[] = [];
  const underWay = new Set<Promise<void>>();
  const start = performance.now();
  let sent = 0;

  async function call(): Promise<void> {
    const caller = idle.pop() ?? newCaller();
    const id = randomId(ids);
    const result = await caller.send(service.url, hitHead(id));
    ledger.note(id, result);
    // The connections of a process that ended are of no use to anyone.
    if (result.kind !== "answered") { for (const other of idle.splice(0)) other.close(); }
    idle.push(caller);
  }

  function newCaller(): Caller {
    const caller = new Caller();
    all.push(caller);
    return caller;
  }

  const timer = setInterval(() => {
    for (const due = (performance.now() - start) * rate / 1000; sent < due; sent++) {
      const calling = call().finally(() => underWay.delete(calling));
      underWay.add(calling);
    }
  }, 10);
  const stop = async () => {
    clearInterval(timer);
    await Promise.all(underWay);
    for (const caller of idle) caller.close();
  };
  return {
    ledger,
    stop,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const caller of all) caller.close();
      await stop();
    },
  };
}

/**
 * Lets a load run for so many milliseconds: the length of a fault, not a wait for something to
 * happen.
 */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The head of a request that hits `id`. */
export function hitHead(id: string): string {
  return authorizedRequest(`POST /hit?id=${encodeURIComponent(id)}`);
}

function randomId(ids: number): string {
  return `c${Math.floor(Math.random() * ids)}`;
}
