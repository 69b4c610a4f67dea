import type { CounterId } from "../counter/counter_id.ts";
import type { Day } from "../counter/days.ts";
import type { OnceOutcome } from "../counter/once.ts";
import type { Counters } from "../counting/counters.ts";
import { loadOnce } from "../load_once.ts";
import type { ConnectionInfo } from "../http/endpoint.ts";
import type { Log } from "../log.ts";
import { BoundedMap } from "../bounded_map.ts";
import { loadCallerAddress, type Proxies } from "./caller_address.ts";

/** How many visitors are remembered each day, per counter and per process; later ones count each time. */
const MAX_OF_COUNTER = 50_000;
const MAX_OF_PROCESS = 1_000_000;
/** For how many counters the number of visitors is remembered. */
const COUNTERS = 10_000;

export interface UniqueVisitorsOptions {
  counters: Counters;
  proxies: Proxies;
  log: Log;
}

/** Counts visitors once a day. All that is kept is a code that identifies nobody once the day is over. */
export interface UniqueVisitors {
  /** Counts a visitor who has not come yet today; a known idempotency key takes precedence. */
  count(visit: Visit, idempotencyKey: string | undefined): Promise<OnceOutcome>;
}

/** A request of a visitor. */
interface Visit {
  readonly request: Request;
  readonly connection: ConnectionInfo;
  readonly id: CounterId;
  readonly query: { readonly get: (name: "visitor") => string | undefined };
}

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
    // At midnight this process forgets the salt as well, even if no visitor comes after it.
    AbortSignal.timeout(calendar.msUntilMidnight()).onabort = () => {
      if (visitors === today) visitors = undefined;
    };
    return today;
  }

  /** What distinguishes this visitor from others; undefined if nothing does. */
  async function tracesOf(
    { request: { headers }, connection, query }: Visit,
  ): Promise<readonly string[] | undefined> {
    const visitor = query.get("visitor");
    if (visitor !== undefined) return [visitor];
    const callerAddress = await loadAddresses();
    const caller = callerAddress({
      remoteAddress: connection.remoteAddr?.hostname ?? "",
      forwarded: forwardedFor(headers),
      proxies,
    });
    if ("address" in caller) return [caller.address, headers.get("user-agent") ?? ""];
    warn(caller.unknown);
    return undefined;
  }

  /** Once a day for each reason: anyone can send one odd header, which must not hide that a setting is wrong. */
  function warn(reason: string): void {
    const today = calendar.today();
    if (warnedOn.get(reason) === today) return;
    warnedOn.set(reason, today);
    log.warn(
      "once=day counts every request: set TRUST_PROXY to the number of your own proxies",
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
          : await counters.hitDeduplicated(id, { key });
      }
      const today = visitorsOfToday();
      const visitor = await today.codeOf([id, ...traces]);
      const remember = today.hasRoomFor(id);
      const keys = { ...key !== undefined && { key }, visitor, remember };
      // Also who came just now: only the store knows whether the counter was deleted since, by whatever process.
      const outcome = await counters.hitDeduplicated(id, keys);
      if (remember && !outcome.repeat) today.noteNew(id);
      return outcome;
    },
  };
}

/** Empty if only another header shows that there is a proxy: then the address of the caller is not known. */
function forwardedFor(headers: Headers): string | null {
  const isForwarded = headers.has("forwarded") || headers.has("x-real-ip");
  return headers.get("x-forwarded-for") ?? (isForwarded ? "" : null);
}

type Encoder = (traces: readonly string[]) => string;

class VisitorsOfDay {
  readonly day: Day;
  readonly #counters: Counters;
  readonly #ofCounter = new BoundedMap<CounterId, number>(COUNTERS);
  #ofProcess = 0;
  #encoder: Promise<Encoder> | undefined;

  constructor(counters: Counters) {
    this.#counters = counters;
    this.day = counters.calendar.today();
  }

  /** The code of a visitor, from which nobody can find out the visitor without the salt of the day. */
  async codeOf(traces: readonly string[]): Promise<string> {
    this.#encoder ??= this.#prepare();
    const encode = await this.#encoder;
    return encode(traces);
  }

  hasRoomFor(id: CounterId): boolean {
    return this.#ofProcess < MAX_OF_PROCESS && (this.#ofCounter.get(id) ?? 0) < MAX_OF_COUNTER;
  }

  /** A visitor of this counter was remembered. */
  noteNew(id: CounterId): void {
    this.#ofProcess++;
    this.#ofCounter.set(id, (this.#ofCounter.get(id) ?? 0) + 1);
  }

  async #prepare(): Promise<Encoder> {
    try {
      const [salt, { createHash, createHmac }] = await Promise.all([
        this.#counters.salt(),
        import("node:crypto"),
      ]);
      // What HMAC itself does with a key of more than 64 bytes, for each text (RFC 2104, section 2).
      const key = salt.length > 64 ? createHash("sha256").update(salt).digest() : salt;
      return (traces) => {
        // With its length before each part, no two lists give the same text.
        const text = traces.map((trace) => `${trace.length}:${trace}`).join("");
        return createHmac("sha256", key).update(text).digest().subarray(0, 8)
          .toString("base64url");
      };
    } catch (error) {
      this.#encoder = undefined;
      throw error;
    }
  }
}
