import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { counterId } from "../../../src/domain/counter_id.ts";
import { type CounterState, parseDay } from "../../../src/domain/history.ts";
import type { Write } from "../../../src/domain/store.ts";
import type { NumberedLine } from "../../../src/domain/line.ts";
import { ImportError, importLines } from "../../../src/counters/import.ts";
import { LongJob } from "../../../src/waiting.ts";
import { Failure, type FailureKind } from "../../../src/domain/errors.ts";

const TODAY = parseDay("2026-11-20") ?? NaN;

/** Records what an import writes, but for the counters that fail. */
function recorder(failures: Record<string, FailureKind> = {}) {
  /** `most` is the maximum number of writes in flight, `calls` the number of calls by others. */
  const room = { set: new Array<string>(), inFlight: 0, most: 0, calls: 0 };

  async function write({ id, update }: Write): Promise<CounterState> {
    room.most = Math.max(room.most, ++room.inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    room.inFlight--;
    checkFailure(id);
    room.set.push(`${id} ${update?.hits}`);
    return { hits: 0, days: undefined };
  }

  async function history(id: string): Promise<CounterState> {
    checkFailure(id);
    return await Promise.resolve({ hits: 1, days: undefined });
  }

  function checkFailure(id: string): void {
    const failure = failures[id];
    if (failure !== undefined) throw new Failure(failure);
  }

  const job = new LongJob(() => room.calls);
  const calendar = { ...createCalendar("UTC"), today: () => TODAY };
  const mode = { mode: "replace" as const, dry: false };
  return Object.assign(room, { options: { ...mode, calendar, job, write, history } });
}

async function* source(...texts: string[]): AsyncGenerator<NumberedLine[]> {
  for (const [index, text] of texts.entries()) yield [{ number: index + 1, text }];
}

function line(id: string, hits = 1): string {
  return JSON.stringify({ id, hits });
}

function lines(count: number): string[] {
  return Array.from({ length: count }, (_, index) => line(`n${index}`));
}

/** Checks that an import ends early, at a line and with so many lines imported. */
async function endsAt(
  number: number,
  importedCount: number,
  imported: Promise<unknown>,
): Promise<void> {
  await rejects(imported, (error: Error) => {
    ok(error instanceof ImportError);
    deepStrictEqual([error.line, error.importedCount], [number, importedCount]);
    return true;
  });
}

Deno.test("importLines imports all lines and tells how many there were", async () => {
  const { set, options } = recorder();
  const result = await importLines(source(line("a"), line("b")), options);
  deepStrictEqual(result, { counters: 2 });
  deepStrictEqual(set, ["a 1", "b 1"]);
});

Deno.test("importLines tells how many days after tomorrow were left out", async () => {
  const days = '"days":{"2026-11-20":1,"2026-11-22":1,"2027-11-22":1}';
  const texts = [`{"id":"a","hits":3,${days}}`, `{"id":"b","hits":3,${days}}`];
  const { options } = recorder();
  deepStrictEqual(await importLines(source(...texts), options), { counters: 2, daysLeftOut: 4 });
});

Deno.test("the last line of an export is accepted if it tells how many came before it", async () => {
  const { options } = recorder();
  for (
    const [count, ...texts] of [
      [1, line("a"), '{"counters":1,"foreign":3}'],
      [0, '{"counters":0}'],
    ] as const
  ) {
    strictEqual((await importLines(source(...texts), options)).counters, count);
  }
});

for (
  const [what, texts, at, imported] of [
    ["an invalid line", [line("a"), "{", line("b")], 2, 1],
    ["an export that lacks a line", [line("a"), '{"counters":2}'], 2, 1],
    ["a line after the last one of an export", [line("a"), '{"counters":1}', line("b")], 3, 1],
    ["a counter that cannot be set", [line("a"), line("list"), line("b")], 2, 2],
  ] as const
) {
  Deno.test(`importLines: ${what} ends it, and is told with its number and how many lines were imported`, async () => {
    const { set, options } = recorder({ list: "not-a-counter" });
    await endsAt(at, imported, importLines(source(...texts), options));
    strictEqual(set[0], "a 1");
  });
}

Deno.test("the lines before a broken connection are imported", async () => {
  const { set, options } = recorder();
  const broken = async function* () {
    yield* source(line("a"));
    throw new TypeError("broken");
  };
  await rejects(importLines(broken(), options), TypeError);
  deepStrictEqual(set, ["a 1"]);
});

Deno.test("importLines sets counters by id, and of two lines of one counter the later one later", async () => {
  const { set, options } = recorder();
  await importLines(source(line("c", 0), line("a", 1), line("b", 2), line("a", 3)), options);
  deepStrictEqual(set, ["a 1", "a 3", "b 2", "c 0"]);
});

Deno.test("importLines keeps at most 10,000 lines in memory, and fewer if they have days", async () => {
  const days = '"days":{"1970-01-01":1,"2026-11-20":1}';
  for (
    const [text, most] of [[line("a"), 10_000], [`{"id":"a","hits":1,${days}}`, 5]] as const
  ) {
    const room = recorder();
    let read = 0;
    const counted = async function* () {
      for (; read < 2.5 * most; read++) {
        ok(read - room.set.length <= most, `${read - room.set.length} lines`);
        yield [{ number: read + 1, text }];
      }
    };
    strictEqual((await importLines(counted(), room.options)).counters, read);
    strictEqual(room.set.length, read);
  }
});

Deno.test("importLines goes on after a counter that cannot be set, and tells the first line of those", async () => {
  const { set, options } = recorder({ b: "not-a-counter", a: "counter-full" });
  await endsAt(2, 2, importLines(source(...["c", "b", "a", "d"].map((id) => line(id))), options));
  deepStrictEqual(set.toSorted(), ["c 1", "d 1"]);
});

Deno.test("importLines does not try the rest after a failure of the store, and counts only what was imported", async () => {
  const room = recorder({ n3: "outcome-unknown" });
  await rejects(importLines(source(...lines(2500)), room.options), (error: Error) => {
    ok(error instanceof ImportError);
    strictEqual(error.failure?.kind, "outcome-unknown");
    strictEqual(error.importedCount, room.set.length);
    ok(room.set.length < 2500);
    return true;
  });
});

Deno.test("no line counts as imported if the store fails as a whole", async () => {
  const { options } = recorder();
  const write = () => Promise.reject(new Failure("store-unavailable"));
  await endsAt(1, 0, importLines(source(...lines(3)), { ...options, write }));
});

Deno.test("an unexpected error is thrown as it is", async () => {
  const { options } = recorder();
  const write = () => Promise.reject(new TypeError("unexpected"));
  await rejects(importLines(source(line("a")), { ...options, write }), TypeError);
});

Deno.test("others have their turn while lines are parsed, also if none is written yet", async () => {
  const { options } = recorder();
  let turns = 0;
  const turn = () => {
    turns++;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  const text = line("a".repeat(150));
  const portion = Array.from({ length: 9000 }, (_, index) => ({ number: index + 1, text }));
  const parsed = async function* () {
    yield portion;
    clearImmediate(next);
  };
  await importLines(parsed(), options);
  ok(turns > 0);
});

Deno.test("a dry run writes nothing and lists what would change, in the order of the lines", async () => {
  const { set, options } = recorder();
  const result = await importLines(
    source(line("b", 5), line("a", 1), line("c", 2), line("b", 7)),
    { ...options, dry: true },
  );
  deepStrictEqual(result, {
    counters: 4,
    changed: 3,
    changes: [
      { id: counterId("b"), before: 1, after: 5 },
      { id: counterId("c"), before: 1, after: 2 },
      { id: counterId("b"), before: 5, after: 7 },
    ],
  });
  deepStrictEqual(set, []);
});

Deno.test("a dry run counts every change, lists 1,000 of them, and tells the line that cannot be set", async () => {
  const { options } = recorder({ broken: "not-a-counter" });
  const texts = Array.from({ length: 12_000 }, (_, index) => line(`n${index}`, 2));
  const { changed, changes } = await importLines(source(...texts), { ...options, dry: true });
  deepStrictEqual([changed, changes?.length], [12_000, 1000]);
  strictEqual(changes?.[999]?.id, "n999");
  texts[11_500] = line("broken");
  await endsAt(11_501, 11_999, importLines(source(...texts), { ...options, dry: true }));
});
