import type { CounterId } from "../../src/domain/counter_id.ts";
import type { Day } from "../../src/domain/history.ts";
import type { CounterStore } from "../../src/domain/store.ts";
import { openCounterFile } from "../../src/store/kv/file/counter_file.ts";
import { type KvConnectServer, startKvConnect } from "./kv_connect.ts";
import { kvStore } from "./kv_store.ts";
import type { Backend, StoreKind } from "./store_contract.ts";
import { tempDir } from "./temp_dir.ts";

const PREFIX = "hits:";

/** Values of Deno KV that are not counters. */
const FOREIGN = new Map<string, unknown>([
  ["a text", "not a number"],
  ["a text of digits", "5"],
  ["a number", 5],
  ["the number 1.5", 1.5],
  ["the number -1", -1],
  ["a bigint", 7n],
  ["a list", [1, 2]],
  ["an object", { hits: 5 }],
  ["an object with a value", { value: 7n }],
  ["null", null],
  ["bytes", new Uint8Array([1, 2, 3])],
  ["2^53 as a KvU64", new Deno.KvU64(2n ** 53n)],
  ["the largest KvU64", new Deno.KvU64(2n ** 64n - 1n)],
]);

/** The kinds of Deno KV: in memory, on a file, and shared with others. */
export const KV_KINDS: readonly { name: string; kind: StoreKind }[] = [
  {
    name: "Deno KV in memory",
    kind: {
      foreign: [...FOREIGN.keys()],
      writers: 1,
      keeps: false,
      start: async () => {
        const kv = await Deno.openKv(":memory:");
        return backendOf({
          kv: () => kv,
          open: (today) => kvStore({ kv, ...today && { today }, source: "memory" }),
          end: () => {},
        });
      },
    },
  },

  {
    name: "a Deno KV file",
    kind: {
      foreign: [...FOREIGN.keys()],
      writers: 1,
      keeps: true,
      start: async () => {
        const folder = await tempDir();
        let kv: Deno.Kv;
        return backendOf({
          kv: () => kv,
          open: async (today) => {
            const file = await openCounterFile(`${folder.path}/counters.kv`);
            kv = file.kv;
            const journalLimits = { from: 1, rows: 4, counters: 3, atOnce: 2 };
            return await kvStore({ kv, file, journalLimits, ...today && { today } });
          },
          end: () => folder[Symbol.asyncDispose](),
        });
      },
    },
  },

  {
    name: "a shared Deno KV",
    kind: {
      foreign: [...FOREIGN.keys()],
      writers: 3,
      keeps: true,
      start: async () => {
        const server = startKvConnect();
        const own = await openRemote(server);
        return backendOf({
          kv: () => own,
          open: async (today) =>
            await kvStore({ kv: await openRemote(server), shared: true, ...today && { today } }),
          end: async () => {
            own.close();
            await server[Symbol.asyncDispose]();
          },
        });
      },
    },
  },
];

interface KvBackend {
  kv(): Deno.Kv;
  open(today?: () => Day): CounterStore | Promise<CounterStore>;
  end(): void | PromiseLike<void>;
}

function backendOf({ kv, open, end }: KvBackend): Backend {
  const set = (id: CounterId, value: unknown) => kv().set([PREFIX, id], value);
  return {
    open: async (today) => await open(today),
    setNumber: (id, number) => set(id, new Deno.KvU64(BigInt(number))),
    setForeign: (id, name) => set(id, FOREIGN.get(name)),
    async raw(id) {
      const { value, versionstamp } = await kv().get([PREFIX, id]);
      return versionstamp === null ? undefined : { value, versionstamp };
    },
    [Symbol.asyncDispose]: async () => await end(),
  };
}

/** Connects to a Deno KV of the tests. */
export async function openRemote({ url, token }: KvConnectServer): Promise<Deno.Kv> {
  Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
  return await Deno.openKv(url);
}
