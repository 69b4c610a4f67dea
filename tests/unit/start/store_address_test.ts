import { deepStrictEqual, match, throws } from "node:assert/strict";
import { array, assert, integer, property, string } from "fast-check";
import { parseHostedStore, parseStoreUrl } from "../../../src/start/store_address.ts";
import type { RedisAddress, RedisForm } from "../../../src/store/setting.ts";

const plain: RedisAddress = {
  host: "a",
  port: 6379,
  tls: false,
  username: undefined,
  password: undefined,
  database: 0,
};
const sentinel = { ...plain, port: 26379 };
const login = { username: "u", password: "p,@/w" };

const urls: [url: string, form: RedisForm, addresses: RedisAddress[], master?: string][] = [
  ["redis://a", "any", [plain]],
  ["redis://a/", "any", [plain]],
  ["REDIS://a", "any", [plain]],
  ["redis://my_redis", "any", [{ ...plain, host: "my_redis" }]],
  ["redis://[::1]:7000", "any", [{ ...plain, host: "::1", port: 7000 }]],
  ["redis://user@a", "any", [{ ...plain, username: "user" }]],
  ["redis://:pass@a", "any", [{ ...plain, password: "pass" }]],
  ["redis://u:p%2C%40%2Fw@a:1/15", "any", [{ ...plain, ...login, port: 1, database: 15 }]],
  ["redis://a:7000,b:7001", "any", [{ ...plain, port: 7000 }, { ...plain, host: "b", port: 7001 }]],
  ["rediss://a,[::1]:7/2", "any", [
    { ...plain, tls: true, database: 2 },
    { ...plain, tls: true, database: 2, host: "::1", port: 7 },
  ]],
  ["redis://u:p%2C%40%2Fw@a,b", "any", [{ ...plain, ...login }, { ...plain, ...login, host: "b" }]],
  // A password may hold an at sign that is not encoded.
  ["redis+cluster://u:p@w@a,b", "cluster", [
    { ...plain, username: "u", password: "p@w" },
    { ...plain, username: "u", password: "p@w", host: "b" },
  ]],
  ["REDISS+CLUSTER://a,b/0", "cluster", [
    { ...plain, tls: true },
    { ...plain, tls: true, host: "b" },
  ]],
  ["redis+sentinel://[::1],[::2]:5/my", "sentinel", [
    { ...sentinel, host: "::1" },
    { ...sentinel, host: "::2", port: 5 },
  ], "my"],
  ["redis-sentinel://u:p%2C%40%2Fw@a/", "sentinel", [{ ...sentinel, ...login }]],
  ["rediss+sentinel://a/my", "sentinel", [{ ...sentinel, tls: true }], "my"],
  ["rediss-sentinel://a/m%2Fy/3", "sentinel", [{ ...sentinel, tls: true, database: 3 }], "m/y"],
  ["redis+sentinel://a//3", "sentinel", [{ ...sentinel, database: 3 }]],
];

for (const [url, form, addresses, master] of urls) {
  Deno.test(`STORE_URL=${url}`, () => {
    deepStrictEqual(parseStoreUrl(url, false), { kind: "redis", form, addresses, master });
  });
}

const SOCKET = /^cannot be a unix socket, because Redis is reached by TCP only, such as redis:/;
const bad: [url: string, told: RegExp][] = [
  ["redis+cluster://a/1", /^must not name a database other than 0: a Redis Cluster has no other$/],
  ["redis+cluster://", /^must be redis\+cluster:/],
  ["unix:/run/redis.sock", SOCKET],
  ["redis+unix:///run/redis.sock", SOCKET],
  ["redis://%2Frun%2Fredis.sock", SOCKET],
  ["/run/redis.sock", SOCKET],
  ["redis-socket:///run/redis.sock", SOCKET],
  ["redis-cluster://a", /^must be redis:/],
  ["redis://a,", /^must be redis:/],
  ["redis://,a", /^must be redis:/],
  ["redis:///0", /^must be redis:/],
  ["redis://a:0x50", /^must be redis:/],
  ["redis://a/1/2", /^must be redis:/],
  ["redis://a?db=3", /^must be redis:.* and no query: write \/3 in place of \?db=3$/],
  ["redis://a,b?db=3", /^must be redis:.* and no query: /],
  ["redis://u:p?w@a", /^must be redis:.*, with special characters percent-encoded and no query: /],
  ["redis://u:p#w@a", /^must be redis:.*, with special characters percent-encoded$/],
  ["redis://u:%ff@a", /^must be redis:/],
  ["redis+sentinel://a/b/c", /^must be redis\+sentinel:/],
  ["redis+sentinel://a/%ff", /^must be redis\+sentinel:/],
  ["redis+sentinel://a/b?db=1", /^must be redis\+sentinel:.* and no query: /],
];

for (const [url, message] of bad) {
  Deno.test(`STORE_URL refuses ${url}`, () => {
    throws(() => parseStoreUrl(url, false), { name: "RangeError", message });
  });
}

Deno.test("a counter file may be called as a socket is", () => {
  deepStrictEqual(parseStoreUrl("kv:/tmp/x.sock", false), { kind: "kv-file", path: "/tmp/x.sock" });
});

const hosted: RedisAddress = { ...plain, tls: true, username: "default", password: "p@:/#" };

const hosts: [host: string, changes: Partial<RedisAddress>][] = [
  ["a", {}],
  ["a:6380", { port: 6380 }],
  ["redis://a", { tls: false }],
  ["rediss://a:6380/3", { port: 6380, database: 3 }],
  ["HTTPS://a/", {}],
  ["rediss://me@a", { username: "me" }],
  ["redis://me:other@a:1", { tls: false, port: 1, username: "me" }],
];

for (const [host, changes] of hosts) {
  Deno.test(`HOSTED_STORE_URL=${host}`, () => {
    const redis = { kind: "redis", form: "any", master: undefined };
    const addresses = [{ ...hosted, ...changes }];
    deepStrictEqual(parseHostedStore(host, "p@:/#"), { ...redis, addresses });
  });
}

Deno.test("any encoded user and password come back as they were", () => {
  const text = string({ unit: "grapheme", minLength: 1 });
  assert(property(text, text, integer({ min: 1, max: 65535 }), (username, password, port) => {
    const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
    const addresses = [{ ...plain, tls: true, username, password, port }];
    deepStrictEqual(parseStoreUrl(`rediss://${user}@a:${port}`, false), {
      ...{ kind: "redis", form: "any", addresses, master: undefined },
    });
  }));
});

/** The path of a URL, with any text in it. `webPath` of fast-check spends 1 s of CPU on a table. */
const path = array(string({ unit: "grapheme" })).map((parts) =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join("")
);

Deno.test("no problem of an address shows its text, which may hold the password", () => {
  assert(property(string(), path, (text, path) => {
    for (
      const parse of [
        () => parseHostedStore(`${text}${path}`, text),
        () => parseStoreUrl(`redis://${text}${path}`, false),
      ]
    ) {
      try {
        parse();
      } catch (error) {
        match(String(error), /^RangeError: must be (?:host, host:port|redis:)/);
      }
    }
  }));
});
