import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { formatDay } from "../../../src/domain/history.ts";
import { Caller } from "../caller.ts";
import { importLines } from "../../support/import_lines.ts";
import { type LocalService, startLocalService } from "../../support/local_service.ts";
import { needsRedis, type RedisServer, startRedis } from "../../support/redis_server.ts";
import { authorized, authorizedRequest, SECRET } from "../../support/secret.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { TIME_ZONE } from "../../support/time_zones.ts";
import { times } from "../../support/times.ts";
import { waitFor } from "../../support/wait_for.ts";

const COUNTERS = times(2000, 5000);
/** Initial total of each counter, and its part on an earlier day. */
const BASE = 10;
const LONG_AGO = formatDay(createCalendar("UTC").today() - 40);
const OF_LONG_AGO = 4;
const CALLERS = 8;

const STORES = [{ store: "kv", options: {} }, { store: "redis", options: needsRedis }] as const;

for (const { store, options } of STORES) {
  Deno.test(
    `an export from ${store} while hits run has each counter once, as it was at some instant`,
    options,
    async () => {
      await using target = await startOn(store);
      await fill(target.url);
      const foreign = await addForeign(target);
      await using load = startHits(target.url);
      for (let round = 1; round <= times(2, 3); round++) {
        const before = new Map(load.acknowledged);
        // Redis gets enough other keys for its hash table to grow during the export.
        const growing = target.redis?.commands(fillers(round));
        const { lines, last } = await exportOf(target.url);
        await growing;
        const counters = new Map(lines.map((line) => [line.id, line]));
        strictEqual(counters.size, lines.length, "a counter stands there twice");
        deepStrictEqual(last, { counters: lines.length, ...foreign });
        for (const id of [...numbered(COUNTERS), ...before.keys()]) {
          const line = counters.get(id);
          ok(line !== undefined, `${id} is missing`);
          const base = /^n\d/.test(id) ? BASE : 0;
          const least = base + (before.get(id) ?? 0);
          const most = base + (load.sent.get(id) ?? 0);
          ok(line.hits >= least && line.hits <= most, `${id}: ${line.hits}, ${least} to ${most}`);
          const { [LONG_AGO]: longAgo = 0, ...ofToday } = line.days;
          const today = Object.values(ofToday).reduce((sum, hits) => sum + hits, 0);
          deepStrictEqual([longAgo, today], [base && OF_LONG_AGO, line.hits - base], id);
        }
        await waitFor("hits on most", () => load.acknowledged.size > round * 500 || undefined);
      }
    },
  );

  Deno.test(
    `an export from ${store} that is cut is no whole one, and the service goes on`,
    options,
    async () => {
      await using target = await startOn(store);
      await using other = await startOn(store);
      await fill(target.url);
      const whole = await (await fetch(`${target.url}/counters`, { headers: authorized })).text();
      for (let round = 0; round < 5; round++) {
        const { body } = await fetch(`${target.url}/counters`, { headers: authorized });
        const reader = body?.getReader();
        await reader?.read();
        await reader?.cancel();
      }
      const lines = whole.split("\n");
      const half = lines.slice(0, COUNTERS / 2);
      const cut = `${half.join("\n")}\n${lines[COUNTERS / 2]?.slice(0, 9)}`;
      for (const part of [cut, `${half.join("\n")}\n${lines.at(-2)}\n`]) {
        const { status, json } = await importLines(other.url, [part]);
        strictEqual(status, 400);
        const detail = String(json.detail);
        match(detail, new RegExp(`^Line ${half.length + 1} cannot be used: `));
        match(detail, new RegExp(` Lines stored so far: ${half.length}\\.`));
      }
      deepStrictEqual(await importLines(other.url, [whole]), {
        status: 200,
        json: { counters: COUNTERS },
      });
      const again = await (await fetch(`${other.url}/counters`, { headers: authorized })).text();
      deepStrictEqual(again.split("\n").toSorted(), lines.toSorted());
    },
  );
}

interface Target extends LocalService {
  readonly redis: RedisServer | undefined;
}

/** Starts a service on an empty store of its own. */
async function startOn(store: "kv" | "redis"): Promise<Target> {
  await using stack = new AsyncDisposableStack();
  const redis = store === "redis" ? stack.use(await startRedis()) : undefined;
  const folder = stack.use(await tempDir());
  const STORE_URL = redis?.url ?? `kv:${folder.path}/counters.kv`;
  const service = stack.use(
    await startLocalService({ SECRET_TOKEN: SECRET, PUBLIC_READS: "1", TIME_ZONE, STORE_URL }),
  );
  const all = stack.move();
  return { ...service, redis, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** One line of an export. */
type Line = { id: string; hits: number; days: Record<string, number> };

async function exportOf(url: string): Promise<{ lines: Line[]; last: unknown }> {
  const answer = await fetch(`${url}/counters`, { headers: authorized });
  const lines = (await answer.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  const last = lines.pop();
  return { lines, last };
}

async function fill(url: string): Promise<void> {
  const lines = numbered(COUNTERS).map((id) =>
    JSON.stringify({ id, hits: BASE, days: { [LONG_AGO]: OF_LONG_AGO } })
  );
  strictEqual((await importLines(url, [lines.join("\n")])).status, 200);
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `n${number}`);
}

/** Puts what is no counter among them, where there is a way to. */
async function addForeign({ redis }: Target): Promise<{ foreign?: number }> {
  if (redis === undefined) return {};
  await redis.commands(numbered(100).map((name) => ["RPUSH", `hits:list-${name}`, "x"]));
  return { foreign: 100 };
}

/** Commands that set 20,000 keys, few enough in each for scans to come in between. */
function fillers(round: number): string[][] {
  const script = "for n = 1, 200 do redis.call('SET', ARGV[1] .. n, '') end";
  return numbered(100).map((name) => ["EVAL", script, "0", `filler:${round}:${name}:`]);
}

/** Hits counters at random, old and new ones, until disposed of. */
function startHits(url: string) {
  const [sent, acknowledged] = [new Map<string, number>(), new Map<string, number>()];
  const callers = Array.from({ length: CALLERS }, () => new Caller());
  let stopped = false;
  const done = Promise.all(callers.map(async (caller) => {
    while (!stopped) {
      const place = Math.floor(Math.random() * COUNTERS);
      const id = Math.random() < 0.8 ? `n${place}` : `new-${place}`;
      addOne(sent, id);
      const { answer } = await caller.send(url, authorizedRequest(`POST /hit?id=${id}`));
      if (answer?.status === 200) addOne(acknowledged, id);
    }
    caller.close();
  }));
  return {
    sent,
    acknowledged,
    async [Symbol.asyncDispose]() {
      stopped = true;
      for (const caller of callers) caller.close();
      await done;
    },
  };
}

function addOne(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
