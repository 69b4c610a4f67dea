import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { keyOf, ownSlots, slotRanges } from "../../../src/store/redis/cluster_slots.ts";
import { slotOf } from "../../../src/store/redis/key_slot.ts";
import type { Reply } from "../../../src/store/redis/connection/reply.ts";

const asked = { host: "asked", port: 1 };
const done = (value: unknown): Reply => ({ kind: "done", value });
const refused = (message: string): Reply => ({ kind: "refused", cause: new Error(message) });

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

Deno.test("slotRanges: a node without a name is where it was asked", () => {
  const replicas = [["10.0.0.9", "7009", "id", []]];
  const answer = [
    ["0", "5460", ["10.0.0.1", "7001", "id", []], ...replicas],
    ["5461", "5461", ["", "7002", "id"]],
    ["5462", "9", [null, "7003", "id", ["hostname", "x"]]],
    ["10", "11", ["?", "7004", "id"]],
  ];
  deepStrictEqual(
    slotRanges(done(answer), asked)?.map(({ first, last, master }) => {
      return [first, last, master.host, master.port];
    }),
    [
      [0, 5460, "10.0.0.1", 7001],
      [5461, 5461, "asked", 7002],
      [5462, 9, "asked", 7003],
      [10, 11, "asked", 7004],
    ],
  );
  for (const other of [done("OK"), refused("ERR"), undefined]) {
    strictEqual(slotRanges(other, asked), undefined);
  }
});

Deno.test("keyOf: the first key of a command, also of a script", () => {
  strictEqual(keyOf(["INCRBY", "a", "1"]), "a");
  strictEqual(keyOf(["MGET", "a", "b"]), "a");
  strictEqual(keyOf(["EVALSHA", "sha", "2", "a", "b"]), "a");
  strictEqual(keyOf(["EVAL", "return 1", "1", "a"]), "a");
});

Deno.test("ownSlots: what a node serves, hands over and takes over, of all that it knows", () => {
  const text = [
    "other 127.0.0.1:3@4 master - 0 0 2 connected 6-9 [1-<-id]",
    "id 127.0.0.1:1@2,name myself,master - 0 0 1 connected 0-5 12 [7->-other] [93-<-other]",
    "third :5@6 slave other 0 0 2 connected",
    "",
  ].join("\n");
  deepStrictEqual(ownSlots(done(text)), {
    id: "id",
    epoch: "1",
    served: [[0, 5], [12, 12]],
    underWay: [{ slot: 7, other: "other" }, { slot: 93, other: "other" }],
  });
  deepStrictEqual(
    ownSlots(done("third :5@6 other 0 0 2 connected\nid :1@2 myself,slave other 0 0 1 connected")),
    { id: "id", epoch: "1", served: [], underWay: [] },
  );
  for (const other of [refused("NOPERM"), done("OK"), undefined]) {
    strictEqual(ownSlots(other), undefined);
  }
});
