import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import type { Day } from "../counter/days.ts";
import type { OnceOutcome } from "../counter/once.ts";
import type { Log } from "../log.ts";
import { callerAddress, type Proxies } from "./caller_address.ts";
import type { Peer } from "./endpoint.ts";
import type { Query } from "./query.ts";
import { VisitorDay } from "./visitor_day.ts";

/** Options of {@linkcode createVisits}. */
export interface VisitsOptions {
  counters: Counters;
  /** What stands between the service and its callers. */
  proxies: Proxies;
  log: Log;
}

/** A request of a visitor. */
export interface Visit {
  readonly request: Request;
  readonly peer: Peer;
  readonly id: CounterId;
  readonly query: Query<"visitor">;
}

/** Counts a visit where its visitor came not yet today; with a key it is that of the first visit with this key. */
export type Visits = (visit: Visit, key: string | undefined) => Promise<OnceOutcome>;

/** Counts visitors once a day. Nothing is kept of them but a code that tells nobody who they were when the day is over. */
export function createVisits({ counters, proxies, log }: VisitsOptions): Visits {
  let day = new VisitorDay(counters);
  const warnedOn = new Map<string, Day>();

  function today(): VisitorDay {
    if (day.day !== counters.calendar.today()) day = new VisitorDay(counters);
    return day;
  }

  /** What tells visitors apart; undefined where nothing does. */
  function tracesOf({ request: { headers }, peer, query }: Visit): readonly string[] | undefined {
    const visitor = query.get("visitor");
    if (visitor !== undefined) return [visitor];
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
    const today = counters.calendar.today();
    if (warnedOn.get(reason) === today) return;
    warnedOn.set(reason, today);
    log.warn(
      "visitors count each time: set TRUST_PROXY to the number of proxies before the service",
      { reason },
    );
  }

  return async (visit, key) => {
    const { id } = visit;
    const traces = tracesOf(visit);
    if (traces === undefined) {
      return key === undefined
        ? { hits: await counters.hit(id), repeat: false }
        : await counters.hitOnce(id, { key });
    }
    const visitors = today();
    const visitor = await visitors.nameOf([id, ...traces]);
    if (key === undefined && visitors.isKnown(visitor)) {
      return { hits: await counters.count(id), repeat: true };
    }
    const remember = visitors.hasRoomFor(id);
    const marks = { ...key !== undefined && { key }, visitor, remember };
    const outcome = await counters.hitOnce(id, marks);
    if (key === undefined) visitors.note(visitor, { id, isNew: !outcome.repeat, remember });
    return outcome;
  };
}

/** Where there is nothing of its own, whatever else tells of a proxy: a caller behind one has no address. */
function forwardedFor(headers: Headers): string | null {
  const isForwarded = headers.has("forwarded") || headers.has("x-real-ip");
  return headers.get("x-forwarded-for") ?? (isForwarded ? "" : null);
}
