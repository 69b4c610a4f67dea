import { strictEqual } from "node:assert/strict";
import { slotOf } from "../../../../src/store/redis/redis_layout.ts";
import { routingKey } from "../../../../src/store/redis/cluster.ts";

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
