import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { createCalendar } from "../../src/domain/calendar.ts";
import { formatDay } from "../../src/domain/history.ts";
import { startLocalService } from "../support/local_service.ts";
import { fillDisk, mountDisk, needsMount } from "../support/mounts.ts";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { tempDir } from "../support/temp_dir.ts";
import { TIME_ZONE } from "../support/time_zones.ts";
import { times } from "../support/times.ts";
import { waitFor } from "../support/wait_for.ts";
import { NOTHING, type Seen, textOf } from "./linearizability/counter_model.ts";
import { type RandomWorkload, startRandomWorkload } from "./linearizability/random_workload.ts";
import { heldIn, Recorder } from "./linearizability/recorder.ts";
import { pause } from "./load.ts";

/** Imports of ever new counters, one after the other, until they are stopped. */
interface Imports extends AsyncDisposable {
  /** Number of imports that were stored completely, and number of those that were not. */
  readonly stored: number;
  readonly refused: number;
  stop(): Promise<void>;
  /** Fails where an import stored something else than it told. */
  check(held: ReadonlyMap<string, Seen>): void;
}

/** More than a piece of an import, so that a failure leaves lines that were not tried. */
const LINES = 150;
/** Some days ago, for the days of the lines. */
const DAY = createCalendar("UTC").today() - 20;
/** Milliseconds between one import and the next, as each makes the store larger. */
const REST_MS = 20;

type Told = { text: string; status: number; detail: string };

/** Starts to import. */
function startImports(url: string): Imports {
  const all: Told[] = [];
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      const text = linesOf(all.length);
      const body = `${text}\n`;
      const answer = await fetch(`${url}/counters`, { method: "POST", headers: authorized, body });
      const { status } = answer;
      const json = await answer.json();
      if (status === 200) deepStrictEqual(json, { counters: LINES });
      all.push({ text, status, detail: json.detail });
      await pause(REST_MS);
    }
  })();
  const stop = async () => {
    stopped = true;
    await done;
  };
  return {
    get stored() {
      return all.filter(({ status }) => status === 200).length;
    },
    get refused() {
      return all.filter(({ status }) => status !== 200).length;
    },
    stop,
    check(held) {
      for (const told of all) checkOne(told, held);
    },
    [Symbol.asyncDispose]: stop,
  };
}

function linesOf(number: number): string {
  return Array.from({ length: LINES }, (_, line) =>
    JSON.stringify({
      // Not in their order, as people send them.
      id: `import-${number}-${(line * 37) % LINES}`,
      hits: 1000 + line,
      days: { [formatDay(DAY)]: line + 1, [formatDay(DAY - 400)]: 7 },
    })).join("\n");
}

function checkOne({ text, status, detail }: Told, held: ReadonlyMap<string, Seen>): void {
  const lines = text.split("\n").map((line) => JSON.parse(line));
  const there = lines.filter(({ id }) => held.has(id));
  for (const line of there) strictEqual(textOf(held.get(line.id) ?? 0), textOf(heldIn(line)));
  if (status === 200) return strictEqual(there.length, LINES);
  match(String(status), /^50[34]$/, detail);
  const told = Number(/Lines stored for sure: (\d+)\./.exec(detail)?.[1]);
  // Imports without a response may be stored as well.
  ok(status === 503 ? there.length === told : there.length >= told, `${there.length}: ${detail}`);
}

/** Enough for few callers to meet at each, as it takes time to put what they were told in order. */
const IDS = ["a}b", "日本", "d:e", ...Array.from({ length: 15 }, (_, number) => `c${number}`)];

/** Operations that may begin while the store becomes full, or between two looks at their number. */
const DURING = 20;

/** A store that can be made full. */
interface Room {
  /** The address for `STORE_URL`. */
  url: string;
  fill(): Promise<unknown>;
  makeRoom(): Promise<unknown>;
}

Deno.test(
  "on Deno KV, on a full disk sets, deletions, imports and hits are refused as a whole, and nothing is lost",
  needsMount,
  async () => {
    await using folder = await tempDir();
    await using _disk = await mountDisk(folder.path, "16m");
    const ballast = join(folder.path, "ballast");
    await keepsTrue({
      url: `kv:${join(folder.path, "counters.kv")}`,
      fill: () => fillDisk(ballast),
      makeRoom: () => Deno.remove(ballast),
    });
  },
);

Deno.test(
  "on Redis, out of memory, sets, deletions, imports and hits are refused as a whole, and nothing is lost",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await keepsTrue({
      url: redis.url,
      fill: () => redis.command("CONFIG", "SET", "maxmemory", "1"),
      makeRoom: () => redis.command("CONFIG", "SET", "maxmemory", "0"),
    });
  },
);

/**
 * Fills a store and makes room again, while callers do everything to a few counters and import
 * others.
 */
async function keepsTrue({ url: STORE_URL, fill, makeRoom }: Room): Promise<void> {
  const runs = times(1, 5);
  const env = { SECRET_TOKEN: SECRET, PUBLIC_READS: "1", TIME_ZONE, STORE_URL };
  const recorder = new Recorder();
  const held = await (async () => {
    await using service = await startLocalService(env);
    await service.storeReady();
    const { url } = service;
    await using imports = startImports(url);
    const { today, dayAt } = createCalendar(TIME_ZONE);
    const doors = [{ url, today: today(), dayAt, hasVisitors: true }];
    await using workload = startRandomWorkload(recorder, {
      doors,
      callers: 4,
      ids: IDS,
      leavesCounters: true,
      isLimited: true,
    });
    const counted = async () => {
      await more("answers", () => recorder.answered, 100, workload);
      await more("imports", () => imports.stored, 3);
    };
    for (let run = 1; run <= runs; run++) {
      await counted();
      workload.allow(DURING);
      await fill();
      await more("refusals", () => recorder.outcomes[503] ?? 0, 10, workload);
      await more("refused imports", () => imports.refused, 3);
      workload.allow(DURING);
      await makeRoom();
    }
    await counted();
    await imports.stop();
    await workload.stop();
    const held = await exportOf(url);
    imports.check(held);
    return held;
  })();
  for (const [id, counters] of recorder.check()) {
    const text = textOf(held.get(id) ?? NOTHING);
    ok(counters.some((counter) => textOf(counter) === text), `${id} is ${text}`);
  }
  await using service = await startLocalService(env);
  await service.storeReady();
  deepStrictEqual(await exportOf(service.url), held);
}

/** Waits until something was counted more often, and lets callers go on until then. */
async function more(
  what: string,
  count: () => number,
  by: number,
  workload?: RandomWorkload,
): Promise<void> {
  const enough = count() + by;
  await waitFor(`more ${what}`, () => {
    workload?.allow(DURING);
    return count() >= enough;
  });
}

async function exportOf(url: string): Promise<Map<string, Seen>> {
  const answer = await fetch(`${url}/counters`, { headers: authorized });
  const lines = (await answer.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  strictEqual(lines.pop().counters, lines.length);
  return new Map(lines.map((line) => [line.id, heldIn(line)]));
}
