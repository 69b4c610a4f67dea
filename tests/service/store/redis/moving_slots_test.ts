import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type CounterId, counterId } from "../../../../src/domain/counter_id.ts";
import type { CounterState, Day } from "../../../../src/domain/history.ts";
import type {
  CounterStore,
  DeduplicationKeys,
  OnceOutcome,
  Update,
} from "../../../../src/domain/store.ts";
import { Failure } from "../../../../src/domain/errors.ts";
import { slotOf } from "../../../../src/store/redis/slots.ts";
import { beginMove, endMove, moveKeys, waitForCluster } from "../../../support/cluster_steps.ts";
import { openRedisStore } from "../../../support/redis_backend.ts";
import { startCluster } from "../../../support/redis_cluster.ts";
import { needsRedis } from "../../../support/redis_server.ts";
import { addition } from "../../../support/store_contract.ts";
import { fullNumbers } from "../../../support/time_limit.ts";

/** 2026-11-21. */
const TODAY = 20_778;
const LAST_YEAR = TODAY - 365;
const YEAR_BEFORE = TODAY - 730;
const NEXT_YEAR = TODAY + 50;

/** Initial state of each counter. An update comes first, then a hit with a key and a visitor. */
const BEFORE = { hits: 101, days: { [YEAR_BEFORE]: 3, [LAST_YEAR]: 4, [TODAY]: 6 } };
const MARKS = { key: "k", visitor: "v", remember: true };
/** The keys of a counter. While its slot is moved, each may be on either node. */
const KEYS = ["", "days", "days2024", "days2025", "once:k", `seen${TODAY}`];
const OF_DAYS = KEYS.slice(0, 4);
const OF_REPEATS = ["", "days", "once:k", `seen${TODAY}`];

type Outcome = number | CounterState | readonly OnceOutcome[] | Failure;

interface Kind {
  what: string;
  day: Day;
  /** The keys that it asks for, of which any may be gone. */
  keys: readonly string[];
  change(store: CounterStore, ids: readonly CounterId[]): Promise<readonly Outcome[]>;
  /** The outcome of the change, and the state after it. */
  outcome: unknown;
  after: Shown;
}

const KINDS: Kind[] = [
  {
    what: "an update that replaces the days",
    day: TODAY,
    keys: OF_DAYS,
    change: (store, ids) => set(store, ids, { mode: "replace", hits: 50, days: on(LAST_YEAR, 9) }),
    outcome: BEFORE,
    after: { hits: 50, days: { [LAST_YEAR]: 9 } },
  },
  {
    what: "an update of larger numbers, in a year that was not known",
    day: TODAY,
    keys: OF_DAYS,
    change: (store, ids) => set(store, ids, { mode: "max", hits: 50, days: on(TODAY - 1100, 9) }),
    outcome: BEFORE,
    after: { hits: 101, days: { ...BEFORE.days, [TODAY - 1100]: 9 } },
  },
  {
    what: "an update of the total that ends a year",
    day: NEXT_YEAR,
    keys: OF_DAYS,
    change: (store, ids) => set(store, ids, { mode: "replace", hits: 500, days: undefined }),
    outcome: BEFORE,
    after: { hits: 500, days: BEFORE.days },
  },
  {
    what: "a deletion",
    day: TODAY,
    keys: OF_DAYS,
    change: (store, ids) => set(store, ids, undefined),
    outcome: BEFORE,
    after: { hits: 0, days: {} },
  },
  {
    what: "a hit that ends a year",
    day: NEXT_YEAR,
    keys: OF_DAYS,
    change: (store, ids) => store.add(ids.map((id) => addition(id, 2))),
    outcome: 103,
    after: { hits: 103, days: { ...BEFORE.days, [NEXT_YEAR]: 2 } },
  },
  {
    what: "a hit with a key that was there",
    day: TODAY,
    keys: OF_REPEATS,
    change: (store, ids) => once(store, ids, { key: "k" }),
    outcome: [{ hits: 101, repeat: true }],
    after: BEFORE,
  },
  {
    what: "a visitor who was there",
    day: TODAY,
    keys: OF_REPEATS,
    change: (store, ids) => once(store, ids, { visitor: "v", remember: true }),
    outcome: [{ hits: 101, repeat: true }],
    after: BEFORE,
  },
  {
    what: "a hit with a new key, and a new visitor",
    day: TODAY,
    keys: OF_REPEATS,
    change: (store, ids) => once(store, ids, { key: "l" }, { visitor: "w", remember: true }),
    outcome: [{ hits: 102, repeat: false }, { hits: 103, repeat: false }],
    after: { hits: 103, days: { ...BEFORE.days, [TODAY]: 8 } },
  },
];

Deno.test(
  "in a cluster, while a slot is moved, whichever keys are gone already, a change is made as a whole or surely not at all",
  needsRedis,
  async () => {
    await using cluster = await startCluster({ replicas: 0 });
    const [from, to] = [cluster.node(0), cluster.node(1)];
    let day: Day = TODAY;
    const store = await openRedisStore(cluster.url, { today: () => day });
    const subsets = KINDS.flatMap((kind) => subsetsOf(kind.keys).map((gone) => ({ kind, gone })));
    const ids = idsIn(slots(0, 5461), subsets.length);
    const all = ids.flatMap((id, at) => subsets.slice(at, at + 1).map((one) => ({ ...one, id })));
    const moving = ids.map((id) => slotOf(`hits:${id}`));
    await set(store, ids, { ...GIVEN, mode: "replace" }).then(allDone);
    await once(store, ids, MARKS).then(allDone);

    await beginMove(moving, { from, to });
    for (const { id, gone } of all) {
      await moveKeys(gone.map((name) => keyOf(id, name)), { from, to });
    }
    const refused: typeof all = [];
    // Each takes the time in which a refused change is tried again.
    await Promise.all(KINDS.map(async (kind) => {
      const those = all.filter((each) => each.kind === kind);
      const own = await openRedisStore(cluster.url, { today: () => kind.day });
      const outcomes = await kind.change(own, those.map(({ id }) => id));
      those.forEach((each, index) => {
        const outcome = outcomes[index];
        if (!(outcome instanceof Failure)) return checkOutcome(each, outcome);
        strictEqual(outcome.kind, "store-unavailable", told(each));
        refused.push(each);
      });
      await own.close();
    }));
    // Fails with BUSYKEY if a key was written on one node while the other has it.
    await endMove(moving, { from, to });
    await waitForCluster(cluster.nodes);

    ok(refused.length > 0 && refused.length < all.length, `${refused.length} refused`);
    // Earlier, the open day of a counter whose year has ended would be that of a wrong clock.
    day = NEXT_YEAR;
    for (const each of all) {
      const expected = refused.includes(each) ? BEFORE : each.kind.after;
      deepStrictEqual(await heldBy(store, each.id), expected, told(each));
    }
    for (const each of refused) {
      day = each.kind.day;
      checkOutcome(each, (await each.kind.change(store, [each.id]))[0]);
      deepStrictEqual(await heldBy(store, each.id), each.kind.after, told(each));
    }
    await store.close();
  },
);

Deno.test(
  "in a cluster, a change of a counter whose keys are on two nodes is made when the move ends",
  needsRedis,
  async () => {
    await using cluster = await startCluster({ replicas: 0 });
    const [from, to] = [cluster.node(0), cluster.node(1)];
    const store = await openRedisStore(cluster.url, { today: () => TODAY });
    const ids = idsIn(slots(0, 5461), 1);
    await set(store, ids, { ...GIVEN, mode: "replace" }).then(allDone);
    const moving = ids.map((id) => slotOf(`hits:${id}`));
    await beginMove(moving, { from, to });
    await moveKeys(ids.map((id) => keyOf(id, "days2024")), { from, to });
    let hasEnded = false;
    const deletion = set(store, ids, undefined).finally(() => hasEnded = true);
    const refusals = async () => {
      const text = String(await from.command("INFO", "errorstats"));
      return Number(/TRYAGAIN:count=(\d+)/.exec(text)?.[1] ?? 0);
    };
    // Pauses that double without a maximum would end the attempts before the ninth.
    while (!hasEnded && await refusals() < 9);
    await endMove(moving, { from, to });
    allDone(await deletion);
    for (const id of ids) deepStrictEqual(await heldBy(store, id), { hits: 0, days: {} });
    await store.close();
  },
);

interface Shown {
  readonly hits: number;
  readonly days: Readonly<Record<Day, number>>;
}

const GIVEN = {
  hits: 100,
  days: {
    newest: TODAY,
    hits: Object.assign(new Array(731).fill(0), { 0: 5, 365: 4, 730: 3 }),
  },
};

function on(newest: Day, hits: number) {
  return { newest, hits: [hits] };
}

function slots(first: number, end: number): Set<number> {
  return new Set(Array.from({ length: end - first }, (_, index) => first + index));
}

/** Returns ids, each of which is in another of these slots. */
function idsIn(free: Set<number>, count: number): CounterId[] {
  const ids: CounterId[] = [];
  for (let number = 0; ids.length < count; number++) {
    const id = counterId(`m${number}`);
    if (free.delete(slotOf(`hits:${id}`))) ids.push(id);
  }
  return ids;
}

function subsetsOf(keys: readonly string[]): string[][] {
  const all = fullNumbers ? KEYS : keys;
  return Array.from({ length: 2 ** all.length }, (_, bits) => {
    return all.filter((_, at) => bits >> at & 1);
  });
}

function keyOf(id: CounterId, name: string): string {
  return name === "" ? `hits:${id}` : `{hits:${id}}${name}`;
}

function set(
  store: CounterStore,
  ids: readonly CounterId[],
  update: Update | undefined,
): Promise<readonly Outcome[]> {
  return store.write(ids.map((id) => ({ id, update })));
}

function once(
  store: CounterStore,
  ids: readonly CounterId[],
  ...hits: DeduplicationKeys[]
): Promise<readonly Outcome[]> {
  return store.addOnce(ids.map((id) => ({ id, hits })));
}

function allDone(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) if (outcome instanceof Failure) throw outcome;
}

function checkOutcome(
  each: { kind: Kind; id: CounterId; gone: readonly string[] },
  outcome: Outcome | undefined,
): void {
  const isHeld = typeof outcome === "object" && "hits" in outcome;
  deepStrictEqual(isHeld ? shown(outcome) : outcome, each.kind.outcome, told(each));
}

async function heldBy(store: CounterStore, id: CounterId): Promise<Shown> {
  const [held] = await store.history([{ id, since: -Infinity }]);
  if (held === undefined || held instanceof Failure) throw held;
  return shown(held);
}

function shown({ hits, days }: CounterState): Shown {
  const entries = days?.hits.map((number, back): [Day, number] => [days.newest - back, number]);
  return { hits, days: Object.fromEntries((entries ?? []).filter(([, number]) => number > 0)) };
}

function told({ kind, gone }: { kind: Kind; gone: readonly string[] }): string {
  const names = gone.map((name) => name || "the total");
  return `${kind.what}, gone: ${names.join(", ") || "nothing"}`;
}
