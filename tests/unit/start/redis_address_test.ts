import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { array, assert, integer, property, string } from "fast-check";
import { parseHostedStore, redisFromUrl } from "../../../src/start/store_address.ts";
import type { RedisAddress } from "../../../src/store/setting.ts";

const plain: RedisAddress = {
  host: "h.example",
  port: 6379,
  tls: false,
  username: undefined,
  password: undefined,
  database: 0,
};

const urls: [url: string, expected: RedisAddress | undefined][] = [
  ["redis://h.example", plain],
  ["redis://h.example/", plain],
  ["REDIS://h.example", plain],
  ["rediss://h.example:6380", { ...plain, port: 6380, tls: true }],
  ["redis://h.example/15", { ...plain, database: 15 }],
  ["redis://user@h.example", { ...plain, username: "user" }],
  ["redis://:pass@h.example", { ...plain, password: "pass" }],
  ["redis://user:pass@h.example:1/2", {
    ...plain,
    port: 1,
    username: "user",
    password: "pass",
    database: 2,
  }],
  ["redis://us%3Aer:p%40ss%2Fw%C3%B6rd%25@h.example", {
    ...plain,
    username: "us:er",
    password: "p@ss/wörd%",
  }],
  ["redis://u:p@ss@h.example", { ...plain, username: "u", password: "p@ss" }],
  ["redis://127.0.0.1", { ...plain, host: "127.0.0.1" }],
  ["redis://[::1]:7000", { ...plain, host: "::1", port: 7000 }],
  ["redis://my_redis", { ...plain, host: "my_redis" }],
  ["redis://h.example?timeout=5", plain],
  ["h.example", undefined],
  ["h.example:6379", undefined],
  ["https://h.example", undefined],
  ["redis:h.example", undefined],
  ["redis:///0", undefined],
  ["redis://h.example:0x50", undefined],
  ["redis://h.example/x", undefined],
  ["redis://h.example/1/2", undefined],
  ["redis://u:%ff@h.example", undefined],
  ["redis://u:12#34@h.example", undefined],
  ["redis://u:12?34@h.example", undefined],
];

for (const [url, expected] of urls) {
  Deno.test(`redisFromUrl: ${url}`, () => deepStrictEqual(redisFromUrl(url), expected));
}

const hosted: RedisAddress = { ...plain, tls: true, username: "default", password: "p@:/#" };

const hosts: [host: string, expected: RedisAddress | undefined][] = [
  ["h.example", hosted],
  ["h.example:6380", { ...hosted, port: 6380 }],
  ["redis://h.example", { ...hosted, tls: false }],
  ["redis://h.example:6380", { ...hosted, tls: false, port: 6380 }],
  ["rediss://h.example", hosted],
  ["rediss://h.example:6380/3", { ...hosted, port: 6380, database: 3 }],
  ["https://h.example", hosted],
  ["https://h.example/", hosted],
  ["HTTPS://h.example", hosted],
  ["rediss://me@h.example", { ...hosted, username: "me" }],
  ["redis://me:other@h.example:1", { ...hosted, tls: false, port: 1, username: "me" }],
  ["http://h.example", undefined],
  ["ftp://h.example", undefined],
  ["h.example:port", undefined],
  ["", undefined],
  ["https://", undefined],
];

for (const [host, expected] of hosts) {
  Deno.test(`parseHostedStore: ${host || "nothing"}`, () => {
    if (expected === undefined) {
      return throws(() => parseHostedStore(host, "p@:/#"), {
        name: "RangeError",
        message: /^must be host/,
      });
    }
    const redis = { kind: "redis", form: "any", master: undefined };
    deepStrictEqual(parseHostedStore(host, "p@:/#"), { ...redis, addresses: [expected] });
  });
}

Deno.test("any encoded user and password come back as they were", () => {
  const text = string({ unit: "grapheme", minLength: 1 });
  assert(property(text, text, integer({ min: 1, max: 65535 }), (username, password, port) => {
    const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
    deepStrictEqual(redisFromUrl(`rediss://${user}@h.example:${port}`), {
      ...plain,
      tls: true,
      username,
      password,
      port,
    });
  }));
});

/** The path of a URL, with any text in it. `webPath` of fast-check spends 1 s of CPU on a table. */
const path = array(string({ unit: "grapheme" })).map((parts) =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join("")
);

Deno.test("parseHostedStore: no message holds the password", () => {
  assert(property(string(), path, (text, path) => {
    try {
      parseHostedStore(`${text}${path}`, text);
    } catch (error) {
      match(String(error), /^RangeError: must be host, host:port/);
    }
  }));
});

Deno.test("redisFromUrl never throws, so that no message can hold the password", () => {
  assert(property(string(), path, (text, path) => {
    redisFromUrl(text);
    redisFromUrl(`redis://${text}${path}`);
  }));
  strictEqual(redisFromUrl("redis://%"), undefined);
});
