import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { counterId } from "../../../src/domain/counter_id.ts";
import { openStore } from "../../../src/store/open_store.ts";
import type { StartError } from "../../../src/start_error.ts";
import type { CounterStore } from "../../../src/domain/store.ts";
import { parseRedisUrl } from "../../../src/start/store_address.ts";
import type { StoreSetting } from "../../../src/store/setting.ts";
import { Metrics } from "../../../src/metrics.ts";
import { createLog } from "../../../src/log.ts";
import { kvFilesAsLeft } from "../../support/kv_files.ts";
import { startKvConnect } from "../../support/kv_connect.ts";
import { startProxiedRedis } from "../../support/proxied_redis.ts";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import { reservePort } from "../../support/reserved_port.ts";
import { addition } from "../../support/store_contract.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { waitFor } from "../../support/wait_for.ts";

const HOME = counterId("home");

Deno.test("openStore: memory", async () => {
  for (const failFast of [false, true]) {
    const { store } = await enter({ kind: "kv-memory" }, { failFast });
    strictEqual(store.source, "memory");
    deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
    await store.close();
  }
});

Deno.test("a Deno KV file, under the prefix of the settings", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/data/counters.kv`;
  const { store } = await enter({ kind: "kv-file", path }, { prefix: "site:" });
  strictEqual(store.source, "deno-kv");
  deepStrictEqual(await store.add([addition(HOME, 3)]), [3]);
  await rejects(enter({ kind: "kv-file", path }), { name: "StartError", message: /in use/ });
  await store.close();
  using kv = await Deno.openKv(path);
  deepStrictEqual((await kv.get(["site:", HOME])).value, new Deno.KvU64(3n));
});

Deno.test("what a killed process left in the journal of a file counts, and is in the entries once it is closed", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/counters.kv`;
  const ids = Array.from({ length: 30 }, (_, index) => counterId(`n${index}`));
  const { store: killed } = await enter({ kind: "kv-file", path });
  for (const _ of [1, 2, 3]) await killed.add(ids.map((id) => addition(id, 1)));
  const left = kvFilesAsLeft(path);
  await killed.close();
  left.restore();
  strictEqual(rowsIn(path) > 0, true);
  const { store } = await enter({ kind: "kv-file", path });
  deepStrictEqual(await store.read(ids), ids.map(() => 3));
  await store.close();
  strictEqual(rowsIn(path), 0);
});

Deno.test({
  name: "a file that this process may not touch is Deno's own error",
  permissions: { read: false, write: false },
  async fn() {
    const setting: StoreSetting = { kind: "kv-file", path: "/somewhere/counters.kv" };
    await rejects(enter(setting), Deno.errors.NotCapable);
  },
});

Deno.test("a remote Deno KV, opened when it is needed", async () => {
  await using server = startKvConnect();
  Deno.env.set("DENO_KV_ACCESS_TOKEN", server.token);
  const { store } = await enter({ kind: "kv-remote", url: server.url });
  strictEqual(store.source, "deno-kv");
  strictEqual(server.reads, 0);
  deepStrictEqual(await store.add([addition(HOME, 2)]), [2]);
  strictEqual(server.commits, 1);
  // The mark of a writer that knows that there may be others.
  using kv = await Deno.openKv(server.url);
  const keys = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key.slice(0, 2));
  deepStrictEqual(keys, [["hits:", HOME], ["tallymark", "days"], ["tallymark", "writer"]]);
  await store.close();
});

Deno.test("Redis, also where it must answer at once", needsRedis, async () => {
  // Without it, the log has a warning.
  await using redis = await startRedis({ args: ["--appendonly", "yes"] });
  const { store, log } = await enter(redisSetting(redis.url), { failFast: true, prefix: "p:" });
  strictEqual(store.source, "redis");
  deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
  strictEqual(await redis.command("GET", "p:home"), "1");
  deepStrictEqual(log, []);
  await store.close();
});

Deno.test(
  "failing fast waits for a Redis that is about to come",
  needsRedis,
  async () => {
    await using proxied = await startProxiedRedis();
    const { proxy, url } = proxied;
    await proxy.refuse();
    const log: string[] = [];
    const opening = enter(redisSetting(url), { failFast: true, log });
    await waitFor("a try", () => log[0]);
    proxy.accept();
    const { store } = await opening;
    deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
    await store.close();
  },
);

Deno.test("a Redis Cluster is unusable with a database other than 0", needsRedis, async () => {
  const args = ["--cluster-enabled", "yes", "--cluster-port", String(reservePort())];
  await using node = await startRedis({ args });
  const { store, unusable } = await enter(redisSetting(`${node.url}/1`));
  const { message } = await waitFor("the reason", () => unusable[0]);
  match(message, /a Redis Cluster, which has no database but 0/);
  await store.close();
});

interface EnterOptions {
  failFast?: boolean;
  prefix?: string;
  log?: string[];
}

interface Entered {
  store: CounterStore;
  log: readonly string[];
  unusable: readonly StartError[];
}

async function enter(store: StoreSetting, options: EnterOptions = {}): Promise<Entered> {
  const { failFast = false, prefix = "hits:", log = [] } = options;
  const unusable: StartError[] = [];
  const opened = await openStore({
    config: { store, prefix, failFast, replicas: 0 },
    calendar: createCalendar("UTC"),
    metrics: new Metrics(),
    log: createLog({ secrets: [], write: (line) => log.push(line) }),
    onUnusable: (error) => unusable.push(error),
  });
  return { store: opened, log, unusable };
}

/** The number of rows in the journal of a counter file, which may be open. */
function rowsIn(path: string): number {
  using database = new DatabaseSync(path, { readOnly: true });
  const rows = "SELECT count(*) AS rows FROM kv WHERE instr(k, CAST('journal' AS BLOB)) > 0";
  return Number(database.prepare(rows).get()?.rows);
}

function redisSetting(url: string): StoreSetting {
  return { kind: "redis", ...parseRedisUrl(url) };
}
