import { rejects, strictEqual, throws } from "node:assert/strict";
import { type KvConnectServer, startKvConnect } from "../../support/kv_connect.ts";
import { KvConnectData } from "../../support/kv_connect_data.ts";
import { writeFields } from "../../support/protobuf.ts";

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
  Deno.test(`KvConnectData takes no more than a self-hosted Deno KV: ${what}`, () => {
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
