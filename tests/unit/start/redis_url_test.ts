import { deepStrictEqual, throws } from "node:assert/strict";
import { parseRedisUrl, parseStoreUrl } from "../../../src/start/store_address.ts";
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
  ["rediss://a:6379", "any", [{ ...plain, tls: true }]],
  ["redis+sentinel://[::1],[::2]:5/my", "sentinel", [
    { ...sentinel, host: "::1" },
    { ...sentinel, host: "::2", port: 5 },
  ], "my"],
  ["redis+cluster://a", "cluster", [plain]],
  ["REDISS+CLUSTER://a,b/0", "cluster", [
    { ...plain, tls: true },
    { ...plain, tls: true, host: "b" },
  ]],
  ["redis+sentinel://a,b:5", "sentinel", [sentinel, { ...sentinel, host: "b", port: 5 }]],
  ["redis-sentinel://u:p%2C%40%2Fw@a/", "sentinel", [{ ...sentinel, ...login }]],
  ["rediss+sentinel://a/my", "sentinel", [{ ...sentinel, tls: true }], "my"],
  ["rediss-sentinel://a/m%2Fy/3", "sentinel", [{ ...sentinel, tls: true, database: 3 }], "m/y"],
  ["redis+sentinel://a//3", "sentinel", [{ ...sentinel, database: 3 }]],
];

for (const [url, form, addresses, master] of urls) {
  Deno.test(`parseRedisUrl: ${url}`, () => {
    deepStrictEqual(parseRedisUrl(url), { form, addresses, master });
  });
}

const SOCKET = /^cannot be a unix socket, because Redis is reached by TCP only, such as redis:/;
const bad: [url: string, told: RegExp][] = [
  ["redis+cluster://a/1", /^must not name a database other than 0: a Redis Cluster has no other$/],
  ["redis+cluster://", /^must be redis\+cluster:/],
  ["unix:/run/redis.sock", SOCKET],
  ["redis+unix:///run/redis.sock", SOCKET],
  ["redis-socket:///run/redis.sock", SOCKET],
  ["redis-cluster://a", /^must be redis:/],
  ["redis://a,", /^must be redis:/],
  ["redis://,a", /^must be redis:/],
  ["redis+sentinel://a/b/c", /^must be redis\+sentinel:/],
  ["redis+sentinel://a/%ff", /^must be redis\+sentinel:/],
  ["redis+sentinel://a/b?db=1", /^must be redis\+sentinel:/],
];

for (const [url, message] of bad) {
  Deno.test(`parseStoreUrl refuses ${url}`, () => {
    throws(() => parseStoreUrl(url, false), { name: "RangeError", message });
  });
}
