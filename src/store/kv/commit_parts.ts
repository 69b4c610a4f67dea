import type { Plan, Writes } from "./plan.ts";

/** What one commit may hold (docs.deno.com, "Key-value store limits"); the values leave room for what Deno adds to them. */
const LIMITS: Load = { checks: 100, mutations: 1000, keyBytes: 80_000, valueBytes: 600_000 };
/** The most bytes that a number of hits or a day takes, and what a value has beside its numbers. */
const NUMBER_BYTES = 8;
const VALUE_BYTES = 50;

/** What a commit holds. */
interface Load {
  readonly checks: number;
  readonly mutations: number;
  readonly keyBytes: number;
  readonly valueBytes: number;
}

/** Cuts plans into parts of which each fits into one commit, with keys no longer than `longestKey` bytes. */
export function commitParts(plans: readonly Plan[], longestKey: number): Plan[][] {
  let part: Plan[] = [];
  let load = NOTHING;
  const parts = [part];
  for (const plan of plans) {
    const more = plan.writes === undefined ? NOTHING : loadOf(plan.writes, longestKey);
    const together = sum(load, more);
    if (fits(together)) {
      load = together;
    } else {
      part = [];
      parts.push(part);
      load = more;
    }
    part.push(plan);
  }
  return parts;
}

const NOTHING: Load = { checks: 0, mutations: 0, keyBytes: 0, valueBytes: 0 };

function loadOf(writes: Writes, longestKey: number): Load {
  const { total, ledger, years, goneYears, marks } = writes;
  const ends = total === undefined;
  const lists = [ledger?.before, ...years.map(({ hits }) => hits)].filter((list) =>
    list !== undefined
  );
  const mutations = 1 + (ends ? 1 : 0) + lists.length + goneYears.length +
    (marks === undefined ? 0 : marks.keys.size + marks.visitors.size);
  const numbers = lists.reduce((sum, list) => sum + list.length, 0);
  return {
    checks: 1,
    mutations,
    keyBytes: mutations * longestKey,
    valueBytes: mutations * VALUE_BYTES + numbers * NUMBER_BYTES,
  };
}

function sum(one: Load, other: Load): Load {
  return {
    checks: one.checks + other.checks,
    mutations: one.mutations + other.mutations,
    keyBytes: one.keyBytes + other.keyBytes,
    valueBytes: one.valueBytes + other.valueBytes,
  };
}

function fits({ checks, mutations, keyBytes, valueBytes }: Load): boolean {
  return checks <= LIMITS.checks && mutations <= LIMITS.mutations &&
    keyBytes <= LIMITS.keyBytes && valueBytes <= LIMITS.valueBytes;
}
