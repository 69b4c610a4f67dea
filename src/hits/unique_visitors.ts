import type { CounterId } from "../counter/counter_id.ts";
import type { Day } from "../counter/days.ts";
import type { OnceOutcome } from "../counter/once.ts";
import type { Counters } from "../counting/counters.ts";
import { loadOnce } from "../http/lazy.ts";
import type { Log } from "../log.ts";
import { Recent } from "../recent.ts";
import { loadCallerAddress, type Proxies } from "./caller_address.ts";
import type { HitRequest } from "./hit_policy.ts";

/** How many visitors of a day are remembered, of one counter and by this process: later ones count each time. */
const MAX_OF_COUNTER = 50_000;
const MAX_OF_PROCESS = 1_000_000;
/** Of how many visitors this process knows without asking the store that they came. */
const KNOWN = 50_000;
/** Of how many counters it is known how many visitors they had. */
const COUNTERS = 10_000;

export interface UniqueVisitorsOptions {
  counters: Counters;
  /** What stands between the service and its callers. */
  proxies: Proxies;
  log: Log;
}

/** Counts visitors once a day. Nothing is kept of them but a code that tells nobody who they were when the day is over. */
export interface UniqueVisitors {
  /** Counts a visitor who did not come yet today; with an idempotency key that came before it is the hit of then. */
  count(visit: Visit, idempotencyKey: string | undefined): Promise<OnceOutcome>;
}

type Visit = Pick<HitRequest, "request" | "peer" | "id"> & {
  readonly query: Pick<HitRequest["query"], "get">;
};

export function createUniqueVisitors(
  { counters, proxies, log }: UniqueVisitorsOptions,
): UniqueVisitors {
  const { calendar } = counters;
  let visitors: VisitorsOfDay | undefined;
  const loadAddresses = loadOnce(loadCallerAddress);
  const warnedOn = new Map<string, Day>();

  function visitorsOfToday(): VisitorsOfDay {
    if (visitors?.day === calendar.today()) return visitors;
    const today = new VisitorsOfDay(counters);
    visitors = today;
    // The salt ends with its day in this process too, even if nobody comes on the next one.
    AbortSignal.timeout(calendar.untilMidnight()).onabort = () => {
      if (visitors === today) visitors = undefined;
    };
    return today;
  }

  /** What tells visitors apart; undefined where nothing does. */
  async function tracesOf(
    { request: { headers }, peer, query }: Visit,
  ): Promise<readonly string[] | undefined> {
    const visitor = query.get("visitor");
    if (visitor !== undefined) return [visitor];
    const callerAddress = await loadAddresses();
    const caller = callerAddress({
      peer: peer.remoteAddr?.hostname ?? "",
      forwarded: forwardedFor(headers),
      proxies,
    });
    if ("address" in caller) return [caller.address, headers.get("user-agent") ?? ""];
    warn(caller.unknown);
    return undefined;
  }

  /** Once a day for each reason: anyone may send one odd header, which must not hide that a setting is wrong. */
  function warn(reason: string): void {
    const today = calendar.today();
    if (warnedOn.get(reason) === today) return;
    warnedOn.set(reason, today);
    log.warn(
      "visitors count each time: set TRUST_PROXY to the number of proxies before the service",
      { reason },
    );
  }

  return {
    async count(visit, key) {
      const { id } = visit;
      const traces = await tracesOf(visit);
      if (traces === undefined) {
        return key === undefined
          ? { hits: await counters.hit(id), repeat: false }
          : await counters.hitOnce(id, { key });
      }
      const today = visitorsOfToday();
      const visitor = await today.codeOf([id, ...traces]);
      if (key === undefined && today.isKnown(visitor)) {
        return { hits: await counters.count(id), repeat: true };
      }
      const remember = today.hasRoomFor(id);
      const marks = { ...key !== undefined && { key }, visitor, remember };
      const outcome = await counters.hitOnce(id, marks);
      if (key === undefined) today.note(visitor, { id, isNew: !outcome.repeat, remember });
      return outcome;
    },
  };
}

/** Where there is nothing of its own, whatever else tells of a proxy: a caller behind one has no address. */
function forwardedFor(headers: Headers): string | null {
  const isForwarded = headers.has("forwarded") || headers.has("x-real-ip");
  return headers.get("x-forwarded-for") ?? (isForwarded ? "" : null);
}

type Encoder = (traces: readonly string[]) => string;

/** What this process knows of the visitors of one day. */
class VisitorsOfDay {
  readonly day: Day;
  readonly #counters: Counters;
  readonly #known = new Recent<string, true>(KNOWN);
  readonly #ofCounter = new Recent<CounterId, number>(COUNTERS);
  #ofProcess = 0;
  #encoder: Promise<Encoder> | undefined;

  constructor(counters: Counters) {
    this.#counters = counters;
    this.day = counters.calendar.today();
  }

  /** The code of a visitor; nobody can tell what it was made from without the salt, which ends with the day. */
  async codeOf(traces: readonly string[]): Promise<string> {
    this.#encoder ??= this.#prepare();
    const encode = await this.#encoder;
    return encode(traces);
  }

  /** Whether this visitor is known to have come; of others nobody knows without asking the store. */
  isKnown(visitor: string): boolean {
    return this.#known.get(visitor) === true;
  }

  /** Whether one more visitor of a counter may be remembered. */
  hasRoomFor(id: CounterId): boolean {
    return this.#ofProcess < MAX_OF_PROCESS && (this.#ofCounter.get(id) ?? 0) < MAX_OF_COUNTER;
  }

  /** Takes note of a visitor who came. */
  note(
    visitor: string,
    { id, isNew, remember }: { id: CounterId; isNew: boolean; remember: boolean },
  ): void {
    if (isNew && !remember) return;
    this.#known.set(visitor, true);
    if (!isNew) return;
    this.#ofProcess++;
    this.#ofCounter.set(id, (this.#ofCounter.get(id) ?? 0) + 1);
  }

  async #prepare(): Promise<Encoder> {
    try {
      const [salt, { createHmac }] = await Promise.all([
        this.#counters.salt(),
        import("node:crypto"),
      ]);
      return (traces) => {
        // With the length before each, no two lists give the same text.
        const text = traces.map((trace) => `${trace.length}:${trace}`).join("");
        return createHmac("sha256", salt).update(text).digest().subarray(0, 8)
          .toString("base64url");
      };
    } catch (error) {
      this.#encoder = undefined;
      throw error;
    }
  }
}
