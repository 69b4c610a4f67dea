import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { redirectOf, slotRanges } from "../../../../src/store/redis/cluster.ts";
import { askForList } from "../../../../src/store/redis/node.ts";
import type { Reply } from "../../../../src/store/redis/reply.ts";

const asked = { host: "asked", port: 1 };
const done = (value: unknown): Reply => ({ kind: "done", value });
const refused = (message: string): Reply => ({ kind: "refused", cause: new Error(message) });

Deno.test("a node without a name is where it was asked", () => {
  const replicas = [["10.0.0.9", "7009", "id", []]];
  const answer = [
    ["0", "5460", ["10.0.0.1", "7001", "id", []], ...replicas],
    ["5461", "5461", ["", "7002", "id"]],
    ["5462", "9", [null, "7003", "id", ["hostname", "x"]]],
    ["10", "11", ["?", "7004", "id"]],
  ];
  deepStrictEqual(
    slotRanges(answer, asked).map(({ first, last, host, port }) => [first, last, host, port]),
    [
      [0, 5460, "10.0.0.1", 7001],
      [5461, 5461, "asked", 7002],
      [5462, 9, "asked", 7003],
      [10, 11, "asked", 7004],
    ],
  );
});

Deno.test("anything but a list is undefined, and so is a server that hangs", async () => {
  const from = (reply: Reply) => askForList(() => Promise.resolve([reply]), ["CLUSTER", "SLOTS"]);
  deepStrictEqual(await from(done([1])), [1]);
  for (const other of [done("OK"), refused("ERR")]) strictEqual(await from(other), undefined);
  const never = Promise.withResolvers<readonly Reply[]>();
  strictEqual(await askForList(() => never.promise, ["CLUSTER", "SLOTS"]), undefined);
});

Deno.test("redirectOf follows MOVED and ASK and nothing else", () => {
  deepStrictEqual(redirectOf(refused("MOVED 866 10.0.0.2:7002"), asked), {
    isAsking: false,
    host: "10.0.0.2",
    port: 7002,
  });
  deepStrictEqual(redirectOf(refused("ASK 1 2001:db8::1:7002"), asked), {
    isAsking: true,
    host: "2001:db8::1",
    port: 7002,
  });
  deepStrictEqual(redirectOf(refused("MOVED 1 :7002"), asked)?.host, "asked");
  for (const text of ["MOVED", "ERR MOVED 1 a:1", "TRYAGAIN", "CLUSTERDOWN", "MOVED x a:1"]) {
    strictEqual(redirectOf(refused(text), asked), undefined);
  }
  strictEqual(redirectOf(done("MOVED 866 10.0.0.2:7002"), asked), undefined);
});
