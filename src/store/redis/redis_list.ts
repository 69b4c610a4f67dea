import { type CounterId, counterId } from "../../counter/counter_id.ts";
import type { ListedCounter, ListOptions, ListPage, Outcome } from "../../counter/store.ts";
import type { Held } from "../../counter/days.ts";
import { Problem } from "../../problem.ts";
import type { RedisReading } from "./redis_reading.ts";
import { SeenTexts } from "./seen_texts.ts";
import type { StoreLink } from "./connection/link.ts";

/** Options of {@linkcode listCounters}. */
export interface RedisListOptions {
  link: Pick<StoreLink, "scan">;
  reading: RedisReading;
  /** What stands before the id in a key. */
  prefix: string;
}

/** How many counters are read at once: more would hold up hits, here and in Redis. */
const PORTION = 250;

/** See {@linkcode CounterStore.list}. */
export async function* listCounters(
  { link, reading, prefix }: RedisListOptions,
  { prefix: beginning, since }: ListOptions,
): AsyncGenerator<ListPage> {
  const seen = new SeenTexts();
  for await (const keys of link.scan(prefix + beginning)) {
    // Redis tells a key again while it spreads them over more memory.
    const texts = keys.map((key) => key.slice(prefix.length)).filter((text) => seen.add(text));
    for (let start = 0; start < texts.length; start += PORTION) {
      const portion = texts.slice(start, start + PORTION);
      const ids = portion.filter(isId);
      const outcomes: readonly (Outcome | Held)[] = since === undefined
        ? await reading.read(ids)
        : await reading.history(ids.map((id) => ({ id, since })));
      const counters = ids.flatMap((id, index) => listed(id, outcomes[index]));
      yield { counters, foreign: portion.length - counters.length };
    }
  }
}

/** A key that no request could name was not written by this service. */
function isId(text: string): text is CounterId {
  try {
    return text !== "" && counterId(text) === text;
  } catch {
    return false;
  }
}

/** The counter as it is listed; none for what is not one. */
function listed(id: CounterId, outcome: Outcome | Held | undefined): ListedCounter[] {
  if (outcome instanceof Problem && outcome.kind === "not-a-counter") return [];
  if (outcome instanceof Problem || outcome === undefined) throw outcome;
  const held = typeof outcome === "number" ? { hits: outcome, days: undefined } : outcome;
  return held.hits === 0 && id.includes(UNREADABLE) ? [] : [{ id, ...held }];
}

/** Stands for bytes of a key that are no UTF-8: read by this text, that counter is not there. */
const UNREADABLE = "\ufffd";
