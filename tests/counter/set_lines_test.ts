import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { counterId } from "../../src/counter/counter_id.ts";
import type { Held } from "../../src/counter/days.ts";
import type { Line } from "../../src/counter/line.ts";
import { setLines } from "../../src/counter/set_lines.ts";
import { Problem, type ProblemName } from "../../src/problem.ts";

const NOTHING: Held = { hits: 0, days: undefined };

function line(id: string, hits = 1): Line {
  return { id: counterId(id), hits, days: undefined };
}

/** Sets lines into a list, but for the counters that fail. */
function recorder(failures: Record<string, ProblemName> = {}) {
  const set: string[] = [];
  let most = 0;
  let now = 0;
  let calls = 0;
  return {
    set,
    get most() {
      return most;
    },
    options: {
      portion: 2,
      byId: true,
      called: () => calls,
      async set({ id, hits }: Line): Promise<Held> {
        calls++;
        most = Math.max(most, ++now);
        await Promise.resolve();
        now--;
        const failure = failures[id];
        if (failure !== undefined) throw new Problem(failure);
        set.push(`${id} ${hits}`);
        return NOTHING;
      },
    },
  };
}

Deno.test("setLines: sets those with similar ids together, and the later of two lines of one counter later", async () => {
  const { set, options } = recorder();
  const problems = await setLines(
    ["c", "a", "b", "a"].map((id, place) => line(id, place)),
    options,
  );
  deepStrictEqual(set, ["a 1", "a 3", "b 2", "c 0"]);
  strictEqual(problems.size, 0);
});

Deno.test("setLines: sets lines as they came where similar ids lie no nearer to each other", async () => {
  const { set, options } = recorder();
  const problems = await setLines(
    ["c", "a", "b", "a"].map((id, place) => line(id, place)),
    { ...options, byId: false },
  );
  deepStrictEqual(set, ["c 0", "a 1", "b 2", "a 3"]);
  strictEqual(problems.size, 0);
});

Deno.test("setLines: no more than two portions are on their way", async () => {
  const room = recorder();
  await setLines(Array.from({ length: 50 }, (_, index) => line(`n${index}`)), room.options);
  strictEqual(room.set.length, 50);
  ok(room.most <= 4);
});

Deno.test("setLines: goes on after a counter that cannot be set, and tells its place", async () => {
  const { set, options } = recorder({ b: "not-a-counter" });
  const problems = await setLines(["c", "b", "a", "d"].map((id) => line(id)), options);
  deepStrictEqual([...problems].map(([place, { kind }]) => [place, kind]), [[1, "not-a-counter"]]);
  deepStrictEqual(set.toSorted(), ["a 1", "c 1", "d 1"]);
});

Deno.test("setLines: does not try the rest after a failure of the store, and tells all that were not set", async () => {
  const { set, options } = recorder({ n3: "outcome-unknown" });
  const lines = Array.from({ length: 10 }, (_, index) => line(`n${index}`));
  const problems = await setLines(lines, options);
  strictEqual(set.length + problems.size, 10);
  ok(set.length <= 5);
  deepStrictEqual(
    new Set([...problems.values()].map(({ kind }) => kind)),
    new Set(["outcome-unknown"]),
  );
});

Deno.test("setLines: while nobody else calls portions are whole", async () => {
  const room = recorder();
  const lines = Array.from({ length: 3000 }, (_, index) => line(`n${index}`));
  await setLines(lines, { ...room.options, portion: 1000 });
  ok(room.most > 1000, `${room.most} at once`);
});

Deno.test("setLines: where others call portions become small, and all are set", async () => {
  const room = recorder();
  const lines = Array.from({ length: 3000 }, (_, index) => line(`n${index}`));
  let hits = 0;
  const options = { ...room.options, portion: 1000, called: () => room.options.called() + hits++ };
  strictEqual((await setLines(lines, options)).size, 0);
  strictEqual(room.set.length, 3000);
  ok(room.most <= 200, `${room.most} at once`);
});
