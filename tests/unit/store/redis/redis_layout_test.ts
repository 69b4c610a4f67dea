import { ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { relatedKey } from "../../../../src/store/redis/redis_layout.ts";
import { times } from "../../../support/times.ts";
import { routingKey, slotOf } from "../../../../src/store/redis/slots.ts";

const key = fc.string({ unit: fc.constantFrom(..."ab{}:日2"), minLength: 1, maxLength: 12 });

Deno.test("ledgerKey lies in the slot of its counter, and so do its years, whatever braces the key has", () => {
  fc.assert(
    fc.property(key, (key) => {
      const ledger = ledgerKey(key);
      strictEqual(slotOf(ledger), slotOf(key), ledger);
      strictEqual(slotOf(yearKey(key, 2025)), slotOf(key), ledger);
    }),
    { numRuns: times(2000, 5000) },
  );
});

Deno.test("no two counters share a key for a ledger or a year", () => {
  const keys = [
    "a",
    "a}b",
    "a{b}c",
    "{b}",
    "{b}:2025",
    "{b}days",
    "a{}b",
    "}",
    "2025",
    "{b}days2025",
  ];
  const all = keys.flatMap((key) => [ledgerKey(key), yearKey(key, 2025)]);
  strictEqual(new Set(all).size, all.length);
  fc.assert(
    fc.property(key, key, fc.constantFrom(2024, 2025), (one, other, year) => {
      if (one === other) return;
      const [first, second] = [ledgerKey(one), ledgerKey(other)];
      ok(
        first !== second && first !== yearKey(other, year) &&
          yearKey(one, year) !== yearKey(other, 2025),
        `${one} ${other}`,
      );
    }),
    { numRuns: times(2000, 5000) },
  );
});

function ledgerKey(key: string): string {
  return relatedKey(key, "days");
}

function yearKey(key: string, year: number): string {
  return relatedKey(key, `days${year}`);
}

/** The examples of the specification, and what redis-server 7.0 says to CLUSTER KEYSLOT. */
const SLOTS: [key: string, slot: number][] = [
  ["123456789", 0x31c3],
  ["foo", 12182],
  ["{user1000}.following", slotOf("user1000")],
  ["foo{}{bar}", 8363],
  ["foo{{bar}}zap", slotOf("{bar")],
  ["foo{bar}{zap}", slotOf("bar")],
  ["", 0],
  ["hits:日本", 11635],
];

for (const [key, slot] of SLOTS) {
  Deno.test(`slotOf: ${JSON.stringify(key)} lies in ${slot}`, () => strictEqual(slotOf(key), slot));
}

Deno.test("the first key of a command, also of a script", () => {
  strictEqual(routingKey(["INCRBY", "a", "1"]), "a");
  strictEqual(routingKey(["MGET", "a", "b"]), "a");
  strictEqual(routingKey(["EVALSHA", "sha", "2", "a", "b"]), "a");
  strictEqual(routingKey(["EVAL", "return 1", "1", "a"]), "a");
});
