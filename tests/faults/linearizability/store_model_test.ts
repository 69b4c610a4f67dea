import { ok } from "node:assert/strict";
import fc from "fast-check";
import { parseStoreUrl } from "../../../src/start/store_address.ts";
import { openCounterFile } from "../../../src/store/kv/file/counter_file.ts";
import { times } from "../../support/times.ts";
import { startCluster } from "../../support/redis_cluster.ts";
import { kvFilesAsLeft } from "../../support/kv_files.ts";
import { startKvConnect } from "../../support/kv_connect.ts";
import { kvStore } from "../../support/kv_store.ts";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import { settleAll } from "../../support/settle.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { NOTHING, type Op } from "./counter_model.ts";
import { type Event, firstContradiction, linearize, told } from "./linearizable.ts";
import { moveAllTheTime } from "./moving_slots.ts";
import { type Round, rounds } from "./rounds.ts";
import { type Open, opening, Process } from "./store_harness.ts";

/** 2026-11-21. */
const FIRST_DAY = 20_778;
/** Errors of the clocks of processes in days, as possible around midnight. */
const SKEWS = [0, 1, -1];
const IDS = ["a", "a}b", "{a}b", "日本"];

/** A store, empty at first, and how many processes may use it at once. */
interface Kind {
  readonly name: string;
  readonly ignore?: boolean;
  readonly processes: number;
  /** Number of random runs, without and with the full numbers. */
  readonly runs: readonly [number, number];
  begin(): Promise<Room>;
}

/** A place to open stores in. */
interface Room extends AsyncDisposable {
  readonly open: Open;
  /** Waits until nothing moves any more that would make lists fail. */
  readonly still?: () => Promise<void>;
}

const kinds: Kind[] = [
  {
    name: "a Deno KV file",
    processes: 1,
    runs: [8, 2000],
    async begin() {
      const folder = await tempDir();
      const open = opening({ kind: "kv-file", path: `${folder.path}/counters.kv` });
      return { open, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
    },
  },
  {
    name: "a Deno KV file with a small journal, killed and not ended,",
    processes: 1,
    runs: [15, 2000],
    async begin() {
      const folder = await tempDir();
      return {
        open: openingJournal(`${folder.path}/counters.kv`),
        [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
      };
    },
  },
  {
    name: "a shared Deno KV",
    processes: 3,
    runs: [8, 2000],
    begin() {
      const server = startKvConnect();
      Deno.env.set("DENO_KV_ACCESS_TOKEN", server.token);
      return Promise.resolve({
        open: opening({ kind: "kv-remote", url: server.url }),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      });
    },
  },
  {
    name: "Redis",
    ...needsRedis,
    processes: 3,
    runs: [10, 2000],
    async begin() {
      const redis = await startRedis();
      return {
        open: opening(parseStoreUrl(redis.url, false)),
        [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
      };
    },
  },
  {
    name: "a Redis Cluster whose slots are moved all the time",
    ...needsRedis,
    processes: 3,
    runs: [4, 200],
    async begin() {
      const cluster = await startCluster({ replicas: 0 });
      const moving = moveAllTheTime(cluster, IDS);
      return {
        open: opening(parseStoreUrl(cluster.url, false)),
        still: () => moving[Symbol.asyncDispose](),
        async [Symbol.asyncDispose]() {
          await moving[Symbol.asyncDispose]();
          await cluster[Symbol.asyncDispose]();
        },
      };
    },
  },
];

for (const { name, ignore = false, processes, runs, begin } of kinds) {
  Deno.test({
    name: `counters and days on ${name} are those of the model, with ${processes} clocks`,
    ignore,
    async fn() {
      await fc.assert(
        fc.asyncProperty(
          rounds({ processes, counters: IDS.length }),
          fc.boolean(),
          async (rounds, isLate) => {
            await using room = await begin();
            await play(rounds, { room, processes, isLate });
          },
        ),
        { numRuns: times(...runs), endOnFailure: true },
      );
    },
  });
}

/**
 * Opens stores on a file that find what a crash leaves of the one before, with a journal that is
 * full again and again.
 */
function openingJournal(path: string): Open {
  const journalLimits = { from: 1, rows: 5, counters: 3, atOnce: 2 };
  return async ({ today }) => {
    const file = await openCounterFile(path);
    const store = await kvStore({ kv: file.kv, file, today, journalLimits });
    return {
      ...store,
      async close() {
        const left = kvFilesAsLeft(path);
        await store.close();
        left.restore();
      },
    };
  };
}

/** Plays rounds, whose calls are made all at once, and fails where what they tell cannot be. */
async function play(
  rounds: readonly Round[],
  { room, processes, isLate }: { room: Room; processes: number; isLate: boolean },
): Promise<void> {
  let day = FIRST_DAY;
  const all = SKEWS.slice(0, processes).map((skew) => {
    return new Process(room.open, () => day + skew, isLate);
  });
  const events = new Map<string, Event[]>(IDS.map((id) => [id, []]));
  let time = 0;

  async function call(
    { process, counter, op, imported = false }: Round["calls"][number],
  ): Promise<void> {
    const [caller, id] = [all[process], IDS[counter]];
    if (caller === undefined || id === undefined) throw new Error("Call: nobody there");
    const done = dated(op(caller.calendar.today()), isLate);
    const start = time;
    const isImport = imported && done.kind === "set";
    const told = isImport ? await caller.import(id, done) : await caller.do(id, done);
    if (told === "refused") return;
    const end = told === undefined ? Infinity : start + 0.5;
    events.get(id)?.push({ op: done, start, end, seen: told === "done" ? undefined : told });
  }

  await using _ended = { [Symbol.asyncDispose]: () => stopAll(all) };
  for (const process of all) await process.start();
  for (const { daysLater, restart, calls } of rounds) {
    time++;
    day += daysLater;
    if (restart !== undefined) {
      await all[restart]?.stop();
      await all[restart]?.start();
    }
    await settleAll(calls.map(call));
  }
  await room.still?.();
  for (const process of all) {
    for (const since of [-Infinity, day - 40]) {
      time++;
      const op = dated({ kind: "history", since, day: process.calendar.today() }, isLate);
      const listed = await process.list(since);
      for (const id of listed.keys()) ok(events.has(id), `${id} was never touched`);
      for (const id of IDS) {
        const seen = listed.get(id) ?? NOTHING;
        events.get(id)?.push({ op, start: time, end: time + 0.5, seen });
      }
      for (const counter of IDS.keys()) {
        await call({ process: all.indexOf(process), counter, op: () => op, text: "" });
      }
    }
  }
  for (const [id, ofId] of events) {
    if (linearize(ofId).length === 0) {
      throw new Error(`${id} cannot have been:\n${told(firstContradiction(ofId))}`);
    }
  }
}

/** Returns an operation with the day that it is in 15 minutes, and without the days after that. */
function dated<One extends Op>(op: One, isLate: boolean): One {
  if (!("day" in op)) return op;
  const latest = isLate ? op.day + 1 : op.day;
  if (op.kind !== "set" || op.days === undefined) return { ...op, latest };
  return { ...op, latest, days: new Map([...op.days].filter(([day]) => day <= latest)) };
}

async function stopAll(processes: readonly Process[]): Promise<void> {
  for (const process of processes) await process.stop();
}
