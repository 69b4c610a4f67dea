import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { SLOW_MS } from "../../faults/ledger.ts";
import { parseAnswers, type RawAnswer } from "../../support/raw_http.ts";
import { eventsOf } from "../../support/service.ts";
import { settleAll } from "../../support/settle.ts";
import { FAR_AWAY_MS } from "../../support/time_limit.ts";
import { Random } from "./random.ts";
import { tameRequest } from "./valid_requests.ts";
import { startTarget, type StoreName } from "./target.ts";
import { wildRequest } from "./wild_requests.ts";
import { bytesOf, Wire } from "./wire.ts";

/** The target and the duration. */
export interface FuzzOptions {
  store: StoreName;
  requests: number;
  /** Seed of the random requests. Equal seeds send equal requests. */
  seed: number;
}

/** The results. */
export interface FuzzReport {
  sent: number;
  /** Answers by status. */
  answers: Record<string, number>;
  /** Hits that were answered with 200, which is how many are stored. */
  counted: number;
  /** Connections that were cut before the service had said all. */
  cuts: number;
  /** Hits that are stored and whose answer a cut took away, or a store that was late. */
  unanswered: number;
}

const CONNECTIONS = 8;
const TAME_PER_CONNECTION = 40;
/** Time after which the server closes the connection of an incomplete request, in milliseconds. */
const STALLED_MS = 2500;
const STATUSES = [200, 204, 304, 400, 401, 404, 405, 409, 414];
/** Statuses while the store is late, as the disk of a busy machine may be. */
const LATE_STATUSES = [503, 504];

/**
 * Sends strange requests to a real service over sockets; throws where the service breaks any
 * promise.
 */
export async function fuzz({ store, requests, seed }: FuzzOptions): Promise<FuzzReport> {
  await using target = await startTarget(store);
  const tally = new Tally();
  let sent = 0;
  let next = seed * 1_000_003;

  async function work(): Promise<void> {
    while (sent < requests) {
      const batch = next++;
      sent += TAME_PER_CONNECTION + 1;
      const where = `seed ${seed}, batch ${batch}`;
      const random = new Random(batch);
      using wire = await Wire.open(target.url);
      const began = performance.now();
      const tame = Array.from({ length: TAME_PER_CONNECTION }, () => tameRequest(random));
      // A reset takes away what was not read yet: every honest answer is awaited before the rest
      // goes out.
      const honest = await wire.talk(bytesOfAll(tame), {
        enough: (received) => answersIn(received, where).length === TAME_PER_CONNECTION,
        limit: FAR_AWAY_MS,
      });
      const answers = answersIn(honest.received, where);
      const refused = tame[answers.length];
      ok(
        answers.length === TAME_PER_CONNECTION,
        `${where}: not answered: ${refused?.slice(0, 300)}`,
      );
      const tameMs = performance.now() - began;
      const wild = await wire.talk(bytesOf(wildRequest(random)), { limit: STALLED_MS });
      const wildMs = performance.now() - began - tameMs;
      if (wild.cut) tally.cuts++;
      for (const answer of answers) tally.note(answer, { where, tookMs: tameMs });
      for (const answer of answersIn(wild.received, where)) {
        tally.note(answer, { where, tookMs: wildMs });
      }
    }
  }

  await settleAll(Array.from({ length: CONNECTIONS }, work));
  const alive = await fetch(`${target.url}/healthz`);
  strictEqual(alive.status, 200);
  await alive.body?.cancel();
  const { counters, others } = await target.end();
  deepStrictEqual(others, [], `seed ${seed}: the store holds what is no counter`);
  const { counted } = tally;
  tally.checkLate(`seed ${seed}`);
  const unanswered = tally.compare(counters, `seed ${seed}`);
  const events = eventsOf(target.service.stderr())
    .filter((event) => !tally.wasLate || !/^store (un)?available$/.test(event));
  deepStrictEqual(events, ["start", "stop"], `seed ${seed}`);
  return { sent, answers: tally.answers, counted, cuts: tally.cuts, unanswered };
}

function bytesOfAll(requests: readonly string[]): Uint8Array {
  return Buffer.concat(requests.map(bytesOf));
}

function answersIn(received: Uint8Array, where: string): RawAnswer[] {
  // A request with the HTTP/2 preface gets HTTP/2 frames.
  if (received[0] === 0) return [];
  const text = Buffer.from(received).toString("latin1");
  const [failure] = /HTTP\/1\.\d 5(?!03|04)\d\d/.exec(text) ?? [];
  strictEqual(failure, undefined, where);
  return parseAnswers(received, { head: false, ended: false }).filter(({ status }) => status > 199);
}

/**
 * The hits that the responses confirm. The requests are not used, because the server may read one
 * as another.
 */
class Tally {
  readonly answers: Record<string, number> = {};
  /** Connections that were cut, each of which may have taken the answer to a hit away. */
  cuts = 0;
  readonly #numbers = new Map<string, Set<number>>();
  #images = 0;
  /** Hits of which the store was too late to tell. */
  #unknown = 0;
  /**
   * True if a caller has waited for the store until its time limit. Reads and unsent hits then get
   * a 503.
   */
  wasLate = false;

  get counted(): number {
    return this.#numbers.values().reduce((sum, { size }) => sum + size, this.#images);
  }

  /** Writes down an answer that came no later than `tookMs` after its request. */
  note(answer: RawAnswer, { where, tookMs }: { where: string; tookMs: number }): void {
    const { status, headers, body } = answer;
    this.answers[status] = (this.answers[status] ?? 0) + 1;
    ok([...STATUSES, ...LATE_STATUSES].includes(status), `${where}: status ${status}`);
    if (status === 504 || headers.get("x-tallymark") === "outcome-unknown") {
      ok(tookMs >= SLOW_MS, `${where}: unknown after no more than ${tookMs} ms`);
      this.#unknown++;
    }
    if (LATE_STATUSES.includes(status) && tookMs >= SLOW_MS) this.wasLate = true;
    if (status !== 200 || headers.has("x-tallymark") || body === "") return;
    const type = headers.get("content-type") ?? "";
    if (type.startsWith("image/svg+xml") && !headers.has("etag")) this.#images++;
    // A read allows any origin, a hit none.
    if (type !== "application/json" || headers.has("access-control-allow-origin")) return;
    const { id, hits } = JSON.parse(body);
    if (hits === undefined) return;
    const numbers = this.#numbers.get(id) ?? new Set();
    ok(!numbers.has(hits), `${where}: ${id} got the number ${hits} twice`);
    this.#numbers.set(id, numbers.add(hits));
  }

  /** Throws if a request was refused although the store was not late. */
  checkLate(where: string): void {
    const refused = this.answers[503] ?? 0;
    ok(
      refused === 0 || this.wasLate || this.#unknown > 0,
      `${where}: ${refused} refused by a store in time`,
    );
  }

  /**
   * Throws where the store does not hold what was answered; the number of hits whose answers were
   * lost.
   */
  compare(stored: Map<string, number>, where: string): number {
    let extra = -this.#images;
    for (const [id, hits] of stored) {
      const acknowledged = this.#numbers.get(id)?.size ?? 0;
      ok(hits >= acknowledged, `${where}: ${id} holds ${hits} of ${acknowledged}`);
      extra += hits - acknowledged;
      this.#numbers.delete(id);
    }
    deepStrictEqual(this.#numbers, new Map(), `${where}: acknowledged and not stored`);
    ok(
      extra >= 0 && extra <= this.cuts + this.#unknown,
      `${where}: ${extra} hits without an answer`,
    );
    return extra;
  }
}
