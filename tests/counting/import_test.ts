import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { parseDay } from "../../src/counter/days.ts";
import {
  ImportError,
  importLines,
  type NumberedLine,
  setLines,
  SortOrder,
} from "../../src/counting/import.ts";
import type { CounterLine } from "../../src/counter/line.ts";
import { Problem, type ProblemName } from "../../src/problem.ts";
import type { Write } from "../../src/counter/store.ts";
import { counterId } from "../../src/counter/counter_id.ts";

const today = parseDay("2026-11-20") ?? NaN;

/** Takes what it is given, but for the counters named. */
function taker(...refused: string[]) {
  const portions: CounterLine[][] = [];
  return {
    portions,
    today,
    mode: "replace" as const,
    bufferSize: 60_000,
    othersWait: () => false,
    take(lines: readonly CounterLine[]) {
      portions.push([...lines]);
      const problems = lines.flatMap(({ id }, place): [number, Problem][] =>
        refused.includes(id) ? [[place, new Problem("not-a-counter")]] : []
      );
      return Promise.resolve(new Map(problems));
    },
  };
}

async function* source(...texts: string[]): AsyncGenerator<NumberedLine[]> {
  for (const [index, text] of texts.entries()) yield [{ number: index + 1, text }];
}

function line(id: string): string {
  return JSON.stringify({ id, hits: 1 });
}

Deno.test("importLines: takes all lines and tells how many there were", async () => {
  const options = taker();
  strictEqual(await importLines(source(line("a"), line("b")), options), 2);
  deepStrictEqual(options.portions.flat().map(({ id }) => id), ["a", "b"]);
});

Deno.test("importLines: an export's last line is right where it tells how many came before it", async () => {
  strictEqual(await importLines(source(line("a"), '{"counters":1,"foreign":3}'), taker()), 1);
  strictEqual(await importLines(source('{"counters":0}'), taker()), 0);
});

for (
  const [what, texts, at, taken] of [
    ["a bad line", [line("a"), "{", line("b")], 2, 1],
    ["an export that lacks a line", [line("a"), '{"counters":2}'], 2, 1],
    ["a line after an export's last", [line("a"), '{"counters":1}', line("b")], 3, 1],
    ["a counter that cannot be set", [line("a"), line("list"), line("b")], 2, 2],
  ] as const
) {
  Deno.test(`importLines: ${what} ends it, and is told with its number and what was taken`, async () => {
    const options = taker("list");
    await rejects(importLines(source(...texts), options), (error: Error) => {
      return error instanceof ImportError && error.line === at && error.taken === taken;
    });
    strictEqual(options.portions.flat()[0]?.id, "a");
  });
}

Deno.test("importLines: what came before a broken connection is taken", async () => {
  const options = taker();
  const broken = async function* () {
    yield* source(line("a"));
    throw new TypeError("broken");
  };
  await rejects(importLines(broken(), options), TypeError);
  deepStrictEqual(options.portions.flat().map(({ id }) => id), ["a"]);
});

Deno.test("importLines: takes lines together, but never so many that memory would not hold", async () => {
  const options = taker();
  strictEqual(await importLines(thousands(100), options), 100_000);
  deepStrictEqual(options.portions.map(({ length }) => length), [20_000, 60_000, 20_000]);
  const wide = taker();
  const text = '{"id":"a","hits":1,"days":{"1970-01-01":1,"2026-11-20":1}}';
  await importLines(source(...new Array<string>(60).fill(text)), wide);
  deepStrictEqual(wide.portions.map(({ length }) => length), [10, 29, 21]);
});

Deno.test("importLines: where 20,000 lines take 40 s, no more than 5,000 come next: who sends them waits no longer than 10 s", async () => {
  const options = taker();
  const clock = performance.now;
  let elapsedMs = 0;
  const take = (lines: readonly CounterLine[]) => {
    elapsedMs += lines.length * 2;
    return options.take(lines);
  };
  performance.now = () => elapsedMs;
  try {
    await importLines(thousands(30), { ...options, take });
  } finally {
    performance.now = clock;
  }
  deepStrictEqual(options.portions.map(({ length }) => length), [20_000, 5000, 5000]);
});

async function* thousands(count: number): AsyncGenerator<NumberedLine[]> {
  for (let part = 0; part < count; part++) {
    yield Array.from({ length: 1000 }, (_, index) => ({ number: index, text: line("a") }));
  }
}

function update(id: string, hits = 1): CounterLine {
  return { id: counterId(id), hits, days: undefined };
}

/** Writes lines into a list, but for the counters that fail. */
function recorder(failures: Record<string, ProblemName> = {}) {
  const set: string[] = [];
  const chunks: number[] = [];
  let most = 0;
  let now = 0;
  return {
    set,
    chunks,
    get most() {
      return most;
    },
    options: {
      mode: "replace" as const,
      idsPerBatch: 2,
      byId: true,
      hits: () => 0,
      async write(writes: readonly Write[]) {
        most = Math.max(most, ++now);
        chunks.push(writes.length);
        strictEqual(new Set(writes.map(({ id }) => id)).size, writes.length);
        await Promise.resolve();
        now--;
        return writes.map(({ id, update }) => {
          const failure = failures[id];
          if (failure !== undefined) return new Problem(failure);
          set.push(`${id} ${update?.hits}`);
          return { hits: 0, days: undefined };
        });
      },
    },
  };
}

Deno.test("setLines: sets those with similar ids together, and the later of two lines of one counter later", async () => {
  const { set, options } = recorder();
  const problems = await setLines(
    ["c", "a", "b", "a"].map((id, place) => update(id, place)),
    options,
  );
  deepStrictEqual(set, ["a 1", "a 3", "b 2", "c 0"]);
  strictEqual(problems.size, 0);
});

Deno.test("setLines: sets lines as they came where similar ids lie no nearer to each other", async () => {
  const { set, options } = recorder();
  const problems = await setLines(
    ["c", "a", "b", "a"].map((id, place) => update(id, place)),
    { ...options, byId: false },
  );
  deepStrictEqual(set, ["c 0", "a 1", "b 2", "a 3"]);
  strictEqual(problems.size, 0);
});

Deno.test("setLines: no more than two chunks are on their way", async () => {
  const room = recorder();
  await setLines(Array.from({ length: 50 }, (_, index) => update(`n${index}`)), room.options);
  strictEqual(room.set.length, 50);
  ok(room.most <= 2);
});

Deno.test("setLines: goes on after a counter that cannot be set, and tells its place", async () => {
  const { set, options } = recorder({ b: "not-a-counter" });
  const problems = await setLines(["c", "b", "a", "d"].map((id) => update(id)), options);
  deepStrictEqual([...problems].map(([place, { kind }]) => [place, kind]), [[1, "not-a-counter"]]);
  deepStrictEqual(set.toSorted(), ["a 1", "c 1", "d 1"]);
});

Deno.test("setLines: does not try the rest after a failure of the store, and tells all that were not set", async () => {
  const { set, options } = recorder({ n3: "outcome-unknown" });
  const lines = Array.from({ length: 10 }, (_, index) => update(`n${index}`));
  const problems = await setLines(lines, options);
  strictEqual(set.length + problems.size, 10);
  ok(set.length <= 5);
  deepStrictEqual(
    new Set([...problems.values()].map(({ kind }) => kind)),
    new Set(["outcome-unknown"]),
  );
});

Deno.test("setLines: where the store fails as a whole, no line of the chunk is taken for stored", async () => {
  const { options } = recorder();
  const failing = { ...options, write: () => Promise.reject(new Problem("store-unavailable")) };
  const problems = await setLines(["a", "b", "c"].map((id) => update(id)), failing);
  deepStrictEqual([...problems.keys()].toSorted(), [0, 1, 2]);
});

Deno.test("setLines: while no hits come chunks are whole", async () => {
  const room = recorder();
  const lines = Array.from({ length: 3000 }, (_, index) => update(`n${index}`));
  await setLines(lines, { ...room.options, idsPerBatch: 1000 });
  ok(room.chunks.includes(1000), `${room.chunks}`);
});

Deno.test("setLines: where hits come chunks become small, and all are set", async () => {
  const room = recorder();
  const lines = Array.from({ length: 3000 }, (_, index) => update(`n${index}`));
  let hits = 0;
  const options = { ...room.options, idsPerBatch: 1000, hits: () => hits++ };
  strictEqual((await setLines(lines, options)).size, 0);
  strictEqual(room.set.length, 3000);
  ok(room.chunks.every((length) => length <= 100), `${room.chunks}`);
});

Deno.test("SortOrder.byId: gives all places by their ids, of one id in their order, however many there are", async () => {
  for (const count of [0, 1, 5000, 12_345]) {
    // 7,919 is prime, so that ids come in no order; each comes three times, in different runs.
    const numbers = Array.from({ length: count }, (_, at) => at * 7919 % Math.ceil(count / 3));
    const order = await SortOrder.byId(numbers.map((number) => update(`n${number}`)));
    const expected = [...numbers.keys()].sort((a, b) => {
      const [one, other] = [`n${numbers[a]}`, `n${numbers[b]}`];
      return one === other ? a - b : one < other ? -1 : 1;
    });
    const taken: number[] = [];
    for (let some; (some = order.take(1000)).length > 0;) taken.push(...some);
    deepStrictEqual(taken, expected);
  }
});
