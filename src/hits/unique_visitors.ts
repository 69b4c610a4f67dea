import { Secret } from "../auth/secret.ts";
import type { OnceOutcome } from "../domain/store.ts";
import type { CounterContext } from "../http/endpoint.ts";
import { BoundedMap } from "../bounded_map.ts";
import { loadOnce } from "../waiting.ts";
import { callerOf, networkOf, type Proxies } from "./caller_address.ts";
import type { CreationLimitOptions } from "./creation_limit.ts";
import { perDay } from "./per_day.ts";

/**
 * Maximum number of visitors that are stored per day and counter, per day and network, and per day
 * and process. Later ones always count. A client can send any number of user agents, so a network
 * must not use up the places of all.
 */
const MAX_PER_COUNTER = 50_000;
const MAX_PER_NETWORK = 10_000;
const MAX_PER_PROCESS = 1_000_000;
/**
 * Minimum number of counters and networks in the caches of the numbers of visitors. One that was
 * evicted starts at 0 again.
 */
const CACHE_SIZE = 10_000;

/** A request of a visitor. */
type Visit = Omit<CounterContext<"visitor">, "isPrefix" | "grant">;

/**
 * Creates a function that counts each visitor once a day. It stores only a code, which identifies
 * no visitor once the day is over.
 */
export function createUniqueVisitors(
  { counters, log, ended }: Pick<CreationLimitOptions, "counters" | "log" | "ended">,
  proxies: Proxies,
) {
  const stateOfToday = perDay({ calendar: counters.calendar, ended }, () => ({
    salt: loadOnce(async () => new Secret(await counters.salt())),
    /** Numbers of stored visitors of each counter, of the code of each network, and of all. */
    perCounter: new BoundedMap<string, number>(CACHE_SIZE),
    perNetwork: new BoundedMap<string, number>(CACHE_SIZE),
    total: 0,
  }));

  /** Returns the traits of the visitor. Returns undefined, and warns, if they are unknown. */
  function identify(visit: Visit): readonly string[] | undefined {
    const { request: { headers }, query } = visit;
    const visitor = query.get("visitor");
    if (visitor !== undefined) return [visitor];
    const caller = callerOf(visit, proxies);
    if ("address" in caller) return [networkOf(caller.address), headers.get("user-agent") ?? ""];
    const event =
      "once=day counts every request: set TRUST_PROXY to the number of your own proxies";
    // For each reason, because one odd header must not hide a wrong setting.
    log.warnOncePer("day", event, { reason: caller.unknown });
    return undefined;
  }

  /** Counts a visitor who has no hit today. A known idempotency key takes precedence. */
  return async (visit: Visit, key: string | undefined): Promise<OnceOutcome> => {
    const { id } = visit;
    const traits = identify(visit);
    if (traits === undefined) {
      return key === undefined
        ? { hits: await counters.hit(id), repeat: false }
        : await counters.hitDeduplicated(id, { key });
    }
    const today = stateOfToday();
    const salt = await today.salt();
    const visitor = visitorCode([id, ...traits], salt);
    const limits: [BoundedMap<string, number>, string, number][] = [
      [today.perCounter, id, MAX_PER_COUNTER],
    ];
    // A server that names its visitors does not tell their networks.
    const [network, agent] = traits;
    if (network !== undefined && agent !== undefined) {
      limits.push([today.perNetwork, visitorCode([network], salt), MAX_PER_NETWORK]);
    }
    const remember = today.total < MAX_PER_PROCESS &&
      limits.every(([numbers, key, limit]) => (numbers.get(key) ?? 0) < limit);
    const keys = { ...key !== undefined && { key }, visitor, remember };
    // Ask for known visitors, too, because another process may have deleted the counter.
    const outcome = await counters.hitDeduplicated(id, keys);
    if (remember && !outcome.repeat) {
      today.total++;
      for (const [numbers, key] of limits) numbers.set(key, (numbers.get(key) ?? 0) + 1);
    }
    return outcome;
  };
}

/** Returns the code of a visitor, which identifies it only together with the salt of the day. */
function visitorCode(traits: readonly string[], salt: Secret): string {
  // With the length in front of each, no two lists give the same text.
  const text = traits.map((trait) => `${trait.length}:${trait}`).join("");
  return salt.codeOf(text, 8);
}
