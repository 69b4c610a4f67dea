import { deepStrictEqual, notStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { type KvConnectServer, startKvConnect } from "../../support/kv_connect.ts";
import { KvConnectData } from "../../support/kv_connect_data.ts";
import { writeFields } from "../../support/protobuf.ts";
import { startProxy } from "../../support/tcp_proxy.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test("startKvConnect: sets, gets, lists and deletes values of every kind", async () => {
  await using server = startKvConnect();
  using kv = await open(server);
  strictEqual((await kv.get(["hits:", "home"])).value, null);
  await kv.set(["hits:", "home"], new Deno.KvU64(2n ** 60n));
  deepStrictEqual((await kv.get(["hits:", "home"])).value, new Deno.KvU64(2n ** 60n));
  await kv.set(["hits:", "日本"], { text: "é" }, { expireIn: 60_000 });
  await kv.set(["hits:", "a"], new Uint8Array([1, 2]));
  await kv.set(["other"], 1);
  const values = await kv.getMany([["hits:", "a"], ["hits:", "none"], ["hits:", "日本"]]);
  deepStrictEqual(values.map(({ value }) => value), [new Uint8Array([1, 2]), null, { text: "é" }]);
  const keys = await Array.fromAsync(kv.list({ prefix: ["hits:"] }), ({ key }) => key[1]);
  deepStrictEqual(keys, ["a", "home", "日本"]);
  const last = await Array.fromAsync(kv.list({ prefix: ["hits:"] }, { reverse: true, limit: 1 }));
  deepStrictEqual(last.map(({ key }) => key[1]), ["日本"]);
  await kv.delete(["hits:", "a"]);
  strictEqual((await kv.get(["hits:", "a"])).versionstamp, null);
});

Deno.test("startKvConnect: a commit whose check fails changes nothing", async () => {
  await using server = startKvConnect();
  using kv = await open(server);
  const first = await add(kv, "x", null, 1n);
  strictEqual(first.ok, true);
  strictEqual((await add(kv, "x", null, 9n)).ok, false);
  const entry = await kv.get(["x"]);
  strictEqual(entry.versionstamp, first.ok && first.versionstamp);
  const second = await add(kv, "x", entry.versionstamp, 2n);
  notStrictEqual(second.ok && second.versionstamp, entry.versionstamp);
  const both = kv.atomic().check(await kv.get(["x"]), { key: ["y"], versionstamp: "0".repeat(20) });
  strictEqual((await both.set(["x"], 5).set(["y"], 5).commit()).ok, false);
  deepStrictEqual((await kv.get(["x"])).value, new Deno.KvU64(2n));
  strictEqual(server.commits, 2);
});

Deno.test("loseNextAnswer: the commit is applied, and its repetition is a conflict", async () => {
  await using server = startKvConnect();
  using kv = await open(server);
  server.loseNextAnswer();
  strictEqual((await add(kv, "x", null, 1n)).ok, false);
  deepStrictEqual((await kv.get(["x"])).value, new Deno.KvU64(1n));
  strictEqual(server.writes, 2);
  strictEqual(server.commits, 1);
});

Deno.test("conflictNext: another client writes first", async () => {
  await using server = startKvConnect();
  using kv = await open(server);
  using other = await open(server);
  server.conflictNext(() => other.set(["x"], new Deno.KvU64(7n)));
  strictEqual((await add(kv, "x", null, 1n)).ok, false);
  deepStrictEqual((await kv.get(["x"])).value, new Deno.KvU64(7n));
});

Deno.test("goAway: a commit waits until comeBack and is applied once", async () => {
  await using server = startKvConnect();
  using kv = await open(server);
  await kv.get(["x"]);
  server.goAway();
  let done = false;
  const commit = add(kv, "x", null, 1n).finally(() => done = true);
  await waitFor("a try", () => server.turnedAway > 0 ? true : undefined);
  strictEqual(done, false);
  server.comeBack();
  strictEqual((await commit).ok, true);
  strictEqual(server.commits, 1);
});

Deno.test("startKvConnect: behind a proxy the answer can be lost on the wire", async () => {
  await using server = startKvConnect();
  await using proxy = startProxy(server);
  using kv = await open({ url: proxy.through(server.url), token: server.token });
  await kv.get(["x"]);
  server.loseNextAnswer({ cut: () => proxy.cut() });
  strictEqual((await add(kv, "x", null, 1n)).ok, false);
  strictEqual(server.commits, 1);
  strictEqual(server.writes, 2);
  strictEqual(proxy.connections, 2);
});

Deno.test("loseNextAnswer: an answer that breaks off in its body is not repeated", async () => {
  await using server = startKvConnect();
  using kv = await open(server);
  server.loseNextAnswer({ as: "body" });
  await rejects(add(kv, "x", null, 1n), /read response body/);
  strictEqual(server.writes, 1);
  strictEqual(server.commits, 1);
});

Deno.test("startKvConnect: a wrong token is refused", async () => {
  await using server = startKvConnect();
  await rejects(open({ url: server.url, token: "wrong" }), /wrong token/);
});

for (const checks of [10, 100]) {
  Deno.test(`startKvConnect: ${checks + 1} checks are refused where ${checks} are taken, and nothing is written`, async () => {
    await using server = startKvConnect({ checks });
    using kv = await open(server);
    for (const [count, fits] of [[checks, true], [checks + 1, false]] as const) {
      const operation = kv.atomic().set(["x"], count);
      for (let key = 0; key < count; key++) {
        operation.check({ key: ["y", key], versionstamp: null });
      }
      // Deno's own client sends no more than 100.
      if (fits) await operation.commit();
      else await rejects(operation.commit(), /status=400|Too many checks/);
    }
    strictEqual((await kv.get(["x"])).value, checks);
  });
}

const set = (key: number, value: number): [number, Uint8Array] => [
  2,
  writeFields([[1, new Uint8Array(key)], [2, writeFields([[1, new Uint8Array(value)]])], [3, 1]]),
];
const range = (key: number, limit: number): [number, Uint8Array] => [
  1,
  writeFields([[1, new Uint8Array(key)], [2, new Uint8Array(key)], [3, limit]]),
];
const LIMITS = [
  { what: "mutations", fits: times(1000, set(1, 0)), over: times(1001, set(1, 0)) },
  { what: "writtenKey", fits: [set(2048, 0)], over: [set(2049, 0)] },
  { what: "value", fits: [set(1, 65_536)], over: [set(1, 65_537)] },
  { what: "payload", fits: times(12, set(1, 65_536)), over: times(13, set(1, 65_536)) },
  { what: "ranges", fits: times(10, range(1, 1)), over: times(11, range(1, 1)) },
  { what: "entries", fits: times(10, range(1, 100)), over: times(10, range(1, 101)) },
  { what: "readKey", fits: [range(2049, 1)], over: [range(2050, 1)] },
];

for (const { what, fits, over } of LIMITS) {
  Deno.test(`KvConnectData: takes no more than a self-hosted Deno KV: ${what}`, () => {
    const data = new KvConnectData();
    const isRead = ["ranges", "entries", "readKey"].includes(what);
    const send = (fields: [number, Uint8Array][]) => {
      return isRead ? data.read(writeFields(fields)) : data.write(writeFields(fields));
    };
    send(fits);
    throws(() => send(over), new RegExp(`^TooMuch: ${what}`));
    strictEqual(data.commits, isRead ? 0 : 1);
  });
}

function times<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item);
}

async function open({ url, token }: Pick<KvConnectServer, "url" | "token">): Promise<Deno.Kv> {
  Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
  return await Deno.openKv(url);
}

function add(kv: Deno.Kv, key: string, versionstamp: string | null, value: bigint) {
  return kv.atomic().check({ key: [key], versionstamp }).set([key], new Deno.KvU64(value)).commit();
}
