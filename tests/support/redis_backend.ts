import type { RedisStoreOptions } from "../../src/store/redis/reading.ts";
import { REDIS_BATCHES } from "../../src/store/open_store.ts";
import { createRedisStore } from "../../src/store/redis/redis_store.ts";
import type { StoreLink } from "../../src/store/redis/node.ts";
import { createCalendar } from "../../src/domain/calendar.ts";
import type { Day } from "../../src/domain/history.ts";
import type { CounterStore } from "../../src/domain/store.ts";
import { type LinkOptions, linkTo } from "./redis_link.ts";
import { needsRedis, type RedisOptions, type RedisServer, startRedis } from "./redis_server.ts";
import type { Backend, StoreKind } from "./store_contract.ts";
import { waitFor } from "./wait_for.ts";

/** Commands that write a value that is not a counter; the key comes after the first word. */
const FOREIGN = new Map<string, readonly [command: string, ...values: string[]]>([
  ["a list", ["RPUSH", "1", "2"]],
  ["a hash", ["HSET", "hits", "5"]],
  ["a set", ["SADD", "5"]],
  ["a text", ["SET", "not a number"]],
  ["an empty text", ["SET", ""]],
  ["the text 1.5", ["SET", "1.5"]],
  ["the text 5e3", ["SET", "5e3"]],
  ["the text 007", ["SET", "007"]],
  ["the text ' 5'", ["SET", " 5"]],
  ["the text +5", ["SET", "+5"]],
  ["-1", ["SET", "-1"]],
  ["-1000", ["SET", "-1000"]],
  ["the smallest integer", ["SET", "-9223372036854775808"]],
  ["2^53", ["SET", "9007199254740992"]],
  ["2^53+1", ["SET", "9007199254740993"]],
  ["the largest integer", ["SET", "9223372036854775807"]],
  ["an integer past 64 bits", ["SET", "99999999999999999999"]],
]);

/** The day on which tests count that ask for none. */
const TODAY = 20_000;

/** The names of values in a Redis that are not counters. */
export const FOREIGN_VALUES: readonly string[] = [...FOREIGN.keys()];

/** A Redis of any form. */
export interface RedisPlace {
  readonly url: string;
  /** The server that holds a key. */
  masterOf(key: string): Promise<RedisServer>;
  /** Ends it, or empties it for the next test. */
  end(): Promise<void>;
}

/** A Redis as the contract of stores wants it. */
export function redisBackend({ url, masterOf, end }: RedisPlace): Backend {
  async function command(name: string, id: string, ...args: readonly string[]) {
    const key = `hits:${id}`;
    return await (await masterOf(key)).command(name, key, ...args);
  }

  return {
    open: (today) => openRedisStore(url, { today }),
    setNumber: (id, number) => command("SET", id, String(number)),
    setForeign(id, name) {
      const [first, ...values] = FOREIGN.get(name) ?? ["ECHO"];
      return command(first, id, ...values);
    },
    async raw(id) {
      const dump = await command("DUMP", id);
      return dump === null ? undefined : [dump, await command("TTL", id)];
    },
    [Symbol.asyncDispose]: end,
  };
}

/** One Redis for all tests of the contract of stores, emptied after each. */
export function redisKind(ignore: boolean, options: RedisOptions = {}): StoreKind {
  let server: RedisServer;
  if (!ignore) {
    Deno.test.beforeAll(async () => {
      server = await startRedis(options);
    });
    Deno.test.afterAll(() => server[Symbol.asyncDispose]());
  }
  const end = async () => {
    await server.command("FLUSHALL");
  };
  const masterOf = () => Promise.resolve(server);
  const start = () => Promise.resolve(redisBackend({ url: server.url, masterOf, end }));
  return { ignore, foreign: FOREIGN_VALUES, writers: 3, keeps: true, start };
}

/** Options of a store. */
type StoreOptions =
  & {
    [Name in Exclude<keyof RedisStoreOptions, "link" | "calendar">]?:
      | RedisStoreOptions[Name]
      | undefined;
  }
  & { today?: (() => Day) | undefined; msUntilMidnight?: (() => number) | undefined };

/** A store at the end of a link, connected or not. */
export function storeOn(
  link: StoreLink,
  {
    prefix = "hits:",
    today = () => TODAY,
    // The other clocks of a test may be past midnight.
    msUntilMidnight = () => 60_000,
    onAhead = () => {},
  }: StoreOptions = {},
): CounterStore {
  const calendar = { ...createCalendar("UTC"), today, msUntilMidnight };
  const store = createRedisStore({ link, prefix, calendar, onAhead });
  return { source: "redis", ...REDIS_BATCHES, ...store };
}

/** Options of a connected store. */
export interface RedisStoreSetup extends LinkOptions, StoreOptions {
  /** Called after each batch of commands, before the store gets the replies. */
  between?: () => Promise<void>;
}

/** Opens a store on a real Redis, and waits until it takes hits. */
export async function openRedisStore(
  url: string,
  { prefix, today, msUntilMidnight, onAhead, between, ...rest }: RedisStoreSetup = {},
): Promise<CounterStore> {
  const link = await linkTo(url, rest);
  const options = { prefix, today, msUntilMidnight, onAhead };
  const store = storeOn(between === undefined ? link : interrupted(link, between), options);
  await connected(store);
  return store;
}

/** Returns a link whose replies arrive only after something else has happened. */
function interrupted(link: StoreLink, between: () => Promise<void>): StoreLink {
  return {
    connectedAt: 0,
    multiKeyAcrossSlots: link.multiKeyAcrossSlots,
    async send(commands) {
      const replies = await link.send(commands);
      await between();
      return replies;
    },
    shards: (prefix) => link.shards(prefix),
    scan: (prefix) => link.scan(prefix),
    close: () => link.close(),
  };
}

/** A Redis of its own, and stores on it, which the test need not close. */
export interface RedisRoom {
  readonly redis: RedisServer;
  /** Opens a store, by default as the user that may do everything. */
  open(options?: RedisStoreSetup & { url?: string }): Promise<CounterStore>;
}

/** Registers a test on a Redis of its own. */
export function testRedis(what: string, body: (room: RedisRoom) => Promise<void>): void {
  Deno.test(`on Redis, ${what}`, needsRedis, async () => {
    await using redis = await startRedis();
    await using stores = new AsyncDisposableStack();
    await body({
      redis,
      async open({ url = redis.url, ...options } = {}) {
        return stores.adopt(await openRedisStore(url, options), (store) => store.close());
      },
    });
  });
}

/**
 * Waits until a store is connected; before that its client would go on trying for a moment after
 * the end of a test.
 */
export async function connected(store: CounterStore): Promise<void> {
  await waitFor("a connection", async () => {
    const away = await store.check().catch(() => ["all"]);
    return away.length === 0 || undefined;
  });
}
