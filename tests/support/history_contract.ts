import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { type CounterId, counterId } from "../../src/domain/counter_id.ts";
import type { CounterState, Day, Days } from "../../src/domain/history.ts";
import {
  type CounterStore,
  type ListedCounter,
  MAX_HITS,
  type Update,
} from "../../src/domain/store.ts";
import { Failure } from "../../src/domain/errors.ts";
import { fakeClock } from "./fake_clock.ts";
import { times } from "./times.ts";
import { ModelCounter, shownState } from "./model_counter.ts";
import { addition, type Backend, type StoreKind } from "./store_contract.ts";

const OTHER = counterId("other");
/** A day late in a year, so that the next year is near. */
const FIRST_DAY = 20_770;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      amount: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 2,
    // Days that raise the total.
    arbitrary: fc.record({
      kind: fc.constant("set" as const),
      mode: fc.constant("max" as const),
      hits: fc.constant(undefined),
      given: fc.record({
        back: fc.integer({ min: -1, max: 900 }),
        hits: fc.array(fc.nat(9), { maxLength: 30 }),
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("set" as const),
      mode: fc.constantFrom("replace" as const, "max" as const),
      hits: fc.oneof(fc.nat(50), fc.constant(MAX_HITS - 1000)),
      // The newest is so many days before today; tomorrow is taken too, as it may be there
      // elsewhere.
      given: fc.option(
        fc.record({
          back: fc.integer({ min: -1, max: 900 }),
          hits: fc.array(fc.nat(9), { maxLength: 30 }),
        }),
        { nil: undefined },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      // Less than 0 after a clock was ahead. By a day or two, the store of a deleted counter may
      // take today for yesterday of another time zone.
      days: fc.constantFrom(1, 1, 2, 40, 366, 800, -40, -400),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
);

const steps = fc.array(fc.record({ step, id: fc.nat(2), store: fc.nat(2) }), {
  maxLength: 40,
  size: "max",
});

/** A backend, and stores on it that the test need not close. */
interface Room extends Pick<Backend, "open"> {
  readonly backend: Backend;
}

/** Registers the tests of days, updates, deletions and lists that every store has to pass. */
export function testHistory(name: string, { ignore = false, start, writers }: StoreKind): void {
  function test(what: string, body: (room: Room) => Promise<void>): void {
    Deno.test({
      name: `on ${name}, ${what}`,
      ignore,
      async fn() {
        await using backend = await start();
        await using stores = new AsyncDisposableStack();
        const open: Backend["open"] = async (today) => {
          return stores.adopt(await backend.open(today), (store) => store.close());
        };
        await body({ backend, open });
      },
    });
  }

  test("whatever is hit, set and deleted on whatever days, totals and days are those of the model", async ({ open }) => {
    let today = FIRST_DAY;
    const stores: CounterStore[] = [];
    for (let index = 0; index < writers; index++) stores.push(await open(() => today));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        today = FIRST_DAY;
        run++;
        const ids = [`${run}`, `${run}}b`, `{${run}}x:2026`].map((text) => counterId(text));
        const model = new Map(ids.map((id) => [id, new ModelCounter()]));
        for (const { step, id: which, store: at } of taken) {
          const place = at % stores.length;
          const [[id, counter] = [], store] = [[...model][which], stores[place]];
          if (!id || !counter || !store) throw new Error("No such id or store");
          if (step.kind === "wait") {
            today += step.days;
            // No process is without a hit while its clock is set back.
            await Promise.all(stores.map((store) => store.add([addition(OTHER, 1)])));
          } else if (step.kind === "restart") {
            await store.close();
            stores[place] = await open(() => today);
          } else {
            if (step.kind === "add") {
              const total = counter.hit(step.amount, today);
              deepStrictEqual(await store.add([addition(id, step.amount)]), [total]);
            } else {
              const update = step.kind === "set" ? updateOf(step, today) : undefined;
              const before = counter.shownOn(today);
              const [held] = await store.write([{ id, update }]);
              const refusal = update === undefined
                ? counter.delete()
                : counter.update(update, today);
              if (held === undefined) throw new Error("No outcome");
              const isRefused = held instanceof Failure;
              strictEqual(isRefused ? held.kind : undefined, refusal);
              if (!isRefused) deepStrictEqual(shownState(held), before);
            }
          }
          for (const [id, counter] of model) {
            const held = await historyOf(stores[0] ?? store, id);
            deepStrictEqual(shownState(held), counter.shownOn(today));
          }
        }
      }),
      { numRuns: times(12, 1000) },
    );
  });

  test("a day that a clock opened too early ends with the next hit, unless it is tomorrow", async ({ open }) => {
    let today = FIRST_DAY;
    const store = await open(() => today);
    for (const [ahead, isKept] of [[1, true], [2, false], [30, false], [365, false]] as const) {
      const once = [{ key: "k" }, { visitor: `v${ahead}`, remember: true }];
      const changes: [string, (id: CounterId) => Promise<unknown>][] = [
        ["hit", (id) => store.add([addition(id, 2)])],
        ["once", (id) => store.addOnce([{ id, hits: once }])],
        ["import", (id) => {
          const days = { newest: today, hits: [2] };
          return store.write([{ id, update: { hits: undefined, days, mode: "max" } }]);
        }],
      ];
      for (const [kind, change] of changes) {
        const id = counterId(`${kind}/${ahead}`);
        today = FIRST_DAY - 1;
        await store.add([addition(id, 4)]);
        today = FIRST_DAY + ahead;
        await store.add([addition(id, 1)]);
        today = FIRST_DAY;
        await change(id);
        const held = await historyOf(store, id);
        // An import adds what is missing of the two hits of today.
        const ofToday = kind === "import" ? 2 : 3;
        const kept = kind === "import" ? { [FIRST_DAY]: 2, [FIRST_DAY + 1]: 1 } : {
          [FIRST_DAY + 1]: 3,
        };
        const days = isKept ? kept : { [FIRST_DAY]: ofToday };
        const added = Object.values(days).reduce((sum, hits) => sum + hits);
        deepStrictEqual(shownState(held), {
          hits: 4 + added,
          days: { [FIRST_DAY - 1]: 4, ...days },
        }, id);
      }
    }
  });

  test("additions undo a set and a deletion, keep what was counted since, and are made once", async ({ open }) => {
    const store = await open(() => FIRST_DAY);
    const [id, other] = [counterId("a}b"), counterId("other")];
    const add = (name: string, hits: number, days?: Days, id = counterId("a}b")) =>
      store.write([{ id, update: { mode: "add", name, hits, days } }]);
    const shownNow = async () => shownState(await historyOf(store, id));
    const days = { newest: FIRST_DAY - 1, hits: [21, 300] };
    await store.write([{ id, update: { mode: "replace", hits: 7321, days } }]);
    await store.write([{ id, update: { mode: "replace", hits: 50_000, days: undefined } }]);
    await store.add([addition(id, 3)]);
    await Promise.all(Array.from({ length: 5 }, () => add("set", -42_679)));
    const before = {
      hits: 7324,
      days: { [FIRST_DAY]: 3, [FIRST_DAY - 1]: 21, [FIRST_DAY - 2]: 300 },
    };
    deepStrictEqual(await shownNow(), before);

    const [line] = await store.write([{ id, update: undefined }]);
    if (line instanceof Failure || line === undefined) throw line;
    await store.add([addition(id, 2)]);
    await add("deletion", line.hits, line.days);
    await add("deletion", line.hits, line.days);
    await add("set", -42_679);
    deepStrictEqual(await shownNow(), { hits: 7326, days: { ...before.days, [FIRST_DAY]: 5 } });

    const [tooMuch] = await add("zero", -7327);
    const [dayTooMuch] = await add("zero", -1, { newest: FIRST_DAY, hits: [-6] });
    for (const outcome of [tooMuch, dayTooMuch]) {
      strictEqual(outcome instanceof Failure && outcome.kind, "below-zero");
    }
    strictEqual((await shownNow()).hits, 7326);
    await add("set", 4, undefined, other);
    deepStrictEqual(await store.read([other]), [4]);
    // Nothing is left, so the counter is gone, and the name of the addition outlives it.
    await add("all", -4, undefined, other);
    await add("all", -4, undefined, other);
    deepStrictEqual(await listed(store, "o", undefined), []);
  });

  test("a move loses no hit and counts none twice, whoever hits both counters meanwhile", async ({ open }) => {
    const stores = await Promise.all(
      Array.from({ length: writers }, () => open(() => FIRST_DAY)),
    );
    const [store] = stores;
    if (store === undefined) throw new Error("No store");
    // In one slot of a cluster.
    const [from, to, more] = ["{m}old", "{m}new", "{m}more"].map((text) => counterId(text));
    if (from === undefined || to === undefined || more === undefined) throw new Error("No id");
    // However slow the machine is, nothing gives up because of conflicts.
    await using _clock = fakeClock({ isStopped: true });
    const move = async (id: CounterId, to: CounterId) =>
      (await store.write([{ id, update: undefined, to }]))[0];
    const shownNow = async (id: CounterId) => shownState(await historyOf(store, id));
    for (const [id, hits] of [[from, [1, 400]], [to, [0, 30, 2]]] as const) {
      const days = { newest: FIRST_DAY - 1, hits };
      await store.write([{ id, update: { mode: "replace", hits: 1000, days } }]);
    }
    await store.addOnce([{ id: from, hits: [{ key: "k" }] }]);
    const outcomes = await Promise.all([
      ...Array.from({ length: 60 }, async (_, at) => {
        const writer = stores[at % stores.length] ?? store;
        await writer.add([addition(at % 2 === 0 ? from : to, 1)]);
      }),
      move(from, to),
    ]);
    const moved = outcomes.at(-1);
    if (!moved || moved instanceof Failure) throw moved;
    const [left, gained] = [await shownNow(from), await shownNow(to)];
    deepStrictEqual([left.hits + gained.hits, moved.hits + left.hits], [2061, 1031]);
    deepStrictEqual(
      [gained.days[FIRST_DAY - 2], (gained.days[FIRST_DAY] ?? 0) + (left.days[FIRST_DAY] ?? 0)],
      [430, 61],
    );
    const [again] = await store.addOnce([{ id: from, hits: [{ key: "k" }] }]);
    deepStrictEqual(again instanceof Failure ? again : again?.[0]?.repeat, true);
    deepStrictEqual(await shownNow(from), left);

    await Promise.all([move(from, more), move(to, more)]);
    strictEqual((await shownNow(more)).hits, 2061);
    deepStrictEqual(await move(to, from), { hits: 0, days: undefined });
    await store.write([{
      id: from,
      update: { mode: "replace", hits: MAX_HITS, days: undefined },
    }]);
    const full = await move(from, more);
    strictEqual(full instanceof Failure && full.kind, "counter-full");
    deepStrictEqual([(await shownNow(from)).hits, (await shownNow(more)).hits], [MAX_HITS, 2061]);
  });

  test("every counter is listed once, with its days from the one that is asked for", async ({ open, backend }) => {
    const store = await open(() => FIRST_DAY);
    const ids = Array.from({ length: 300 }, (_, index) => counterId(`page/${index}`));
    const others = ["page", "pagE/1", "page*", "{page}/", "pa}ge/", "[page]/"].map(counterId);
    for (const id of [...ids, ...others]) await store.add([addition(id, 2)]);
    const days = { newest: FIRST_DAY, hits: Array(800).fill(1) };
    await store.write([{
      id: counterId("page/7"),
      update: { hits: 1000, days, mode: "replace" },
    }]);
    await backend.setNumber(counterId("page/old"), 41);
    deepStrictEqual((await listed(store, "", -Infinity)).length, 307);
    const pages = await listed(store, "page/", -Infinity);
    deepStrictEqual(pages.map(({ id }) => id).toSorted(), [...ids, "page/old"].toSorted());
    deepStrictEqual(pages.find(({ id }) => id === "page/old")?.hits, 41);
    const long = (since: Day) =>
      listed(store, "page/7", since).then((found) => found.find(({ id }) => id === "page/7")?.days);
    deepStrictEqual((await long(-Infinity))?.hits, days.hits);
    deepStrictEqual((await long(FIRST_DAY - 2))?.hits.slice(0, 3), [1, 1, 1]);
    deepStrictEqual((await listed(store, "page/7", undefined))[0]?.days, undefined);
    deepStrictEqual(await listed(store, "nothing", -Infinity), []);
  });
}

function updateOf(
  { mode, hits, given }: {
    mode: Update["mode"];
    hits: number | undefined;
    given: { back: number; hits: number[] } | undefined;
  },
  today: Day,
): Update {
  const days: Days | undefined = given && { newest: today - given.back, hits: given.hits };
  return { mode, hits, days };
}

/** Returns the state that a store has of a counter. */
async function historyOf(store: CounterStore, id: CounterId): Promise<CounterState> {
  const [held] = await store.history([{ id, since: -Infinity }]);
  if (held instanceof Failure || held === undefined) throw held;
  return held;
}

async function listed(
  store: CounterStore,
  prefix: string,
  since: Day | undefined,
): Promise<ListedCounter[]> {
  const found: ListedCounter[] = [];
  for await (const { counters, foreign } of store.list({ prefix, since })) {
    found.push(...counters);
    strictEqual(foreign, 0);
  }
  return found;
}
