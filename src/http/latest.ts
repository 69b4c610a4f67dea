import type { Counters } from "../counting/counters.ts";
import { Problem } from "../problem.ts";
import { Recent } from "../recent.ts";
import type { CounterRequest } from "./counter_endpoint.ts";
import { asksForTotal, readShown, type Shown } from "./reading.ts";

/** What was shown last, because the store is away. */
export interface Stale {
  readonly stale: Shown;
}

/** What there is to show, as it is or as it was. */
export type Latest = Shown | Stale;

type Asked = Pick<CounterRequest<"period" | "show">, "id" | "query">;

/** How many counters' numbers of periods are remembered for sure. */
const REMEMBERED = 10_000;

/** Reads what badges show, and what was seen last while the store is away. */
export interface LatestReader {
  find(asked: Asked): Latest | Promise<Latest>;
  /** Throws every error on but that of a store that is away. */
  recover(error: unknown, asked: Asked): Latest;
}

/** A reader that remembers the numbers of periods; the counters remember what they hold. */
export function createLatest(counters: Counters): LatestReader {
  const shown = new Recent<string, Shown>(REMEMBERED);
  return {
    find(asked) {
      if (asksForTotal(asked.query)) return counters.count(asked.id);
      return Promise.resolve(readShown(counters, asked)).then((numbers) => {
        shown.set(nameOf(asked), numbers);
        return numbers;
      });
    },
    recover(error, asked) {
      const stale = asksForTotal(asked.query)
        ? counters.lastSeen(asked.id)
        : shown.get(nameOf(asked));
      if (!(error instanceof Problem) || error.status !== 503 || stale === undefined) throw error;
      return { stale };
    },
  };
}

/** Tells whether the store was away when this was read. */
export function isStale(latest: Latest): latest is Stale {
  return typeof latest === "object" && "stale" in latest;
}

function nameOf({ id, query }: Asked): string {
  return `${query.get("period") ?? query.get("show")} ${id}`;
}
