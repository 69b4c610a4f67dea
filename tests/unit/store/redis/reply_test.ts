import { deepStrictEqual, strictEqual } from "node:assert/strict";
import * as library from "@redis/client";
import {
  failureOf,
  isFailure,
  isRefused,
  type Reply,
  replyOf,
  UNSENT,
} from "../../../../src/store/redis/reply.ts";
import { redirectOf, slotRanges } from "../../../../src/store/redis/slots.ts";
import { askForList } from "../../../../src/store/redis/node.ts";
import { skippingClock } from "../../../support/fake_clock.ts";

const refused = (message: string) => ({ kind: "refused" as const, cause: new Error(message) });

/** Replies of Redis 6.0 to 8.0 with all their meanings. No other meaning applies. */
const MEANINGS: Record<string, string[]> = {
  "WRONGTYPE Operation against a key holding the wrong kind of value": ["not-a-counter"],
  "ERR value is not an integer or out of range": ["not-a-counter"],
  "ERR increment or decrement would overflow": ["not-a-counter"],
  "ERR Error running script (call to f_1): @user_script:3: WRONGTYPE Operation against a key": [
    "not-a-counter",
  ],
  "ERR counter is full": ["counter-full"],
  "NOSCRIPT No matching script. Please use EVAL.": ["unknown script"],
  "NOPERM this user has no permissions to run the 'evalsha' command": [
    ...["login refused", "forbidden"],
  ],
  "ERR unknown command `EVALSHA`, with args beginning with:": [],
  "ERR syntax error": [],
  "ERR The user executing the script can't run this command or subcommand script: 1": [
    "forbidden",
  ],
  "ERR ACL failure in script: User has no permissions to run the 'set' command script: 1": [
    "forbidden",
  ],
  "NOPERM this user has no permissions to access one of the keys used as arguments": [
    ...["login refused", "forbidden", "forbidden key"],
  ],
  "NOPERM No permissions to access a key": ["login refused", "forbidden", "forbidden key"],
  "ERR The user executing the script can't access at least one of the keys mentioned in command": [
    "forbidden",
    "forbidden key",
  ],
  "ERR ACL failure in script: No permissions to access the 'a}b' key script: 1": [
    ...["forbidden", "forbidden key"],
  ],
  "ERR Error running script: @user_script:1: script tried accessing undeclared key": [
    "forbidden",
  ],
  "WRONGPASS invalid username-password pair or user is disabled.": ["login refused"],
  "NOAUTH Authentication required.": ["login refused", "needs login"],
  "READONLY You can't write against a read only replica.": ["replica"],
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.": ["replica"],
  "CLUSTERDOWN The cluster is down": [],
  "LOADING Redis is loading the dataset in memory": [],
  "TRYAGAIN Multiple keys request during rehashing of slot": [],
  "ERR Script attempted to access a non local key in a cluster node script: 1": [],
  "ERR TRYAGAIN": [],
  "ERR SELECT is not allowed in cluster mode": [],
  "OOM command not allowed when used memory > 'maxmemory'.": [],
  "MISCONF Redis is configured to save RDB snapshots, but it is currently not able to": [],
};

/** Errors of a single command: everything else says that the store cannot do its work. */
const OWN_ERRORS =
  /WRONGTYPE|access(?! a non|ing)|not an integer|overflow|full|NOSCRIPT|unknown command|syntax|WRONGPASS|TRYAGAIN|non local|SELECT/;

for (const [message, meant] of Object.entries(MEANINGS)) {
  Deno.test(`reply: what "${message.slice(0, 70)}" means`, () => {
    const reply = refused(message);
    const problem = failureOf(reply, "outcome-unknown").kind;
    const found = [
      ...problem === "store-unavailable" ? [] : [problem],
      ...isRefused(reply, "unknownScript") ? ["unknown script"] : [],
      ...isRefused(reply, "replica") ? ["replica"] : [],
      ...isRefused(reply, "login") ? ["login refused"] : [],
      ...isRefused(reply, "missingLogin") ? ["needs login"] : [],
      ...isRefused(reply, "forbidden") ? ["forbidden"] : [],
      ...isRefused(reply, "missingKey") ? ["forbidden key"] : [],
    ];
    deepStrictEqual(found, meant);
    strictEqual(isFailure(reply), !OWN_ERRORS.test(message));
  });
}

Deno.test("an error reply was surely not carried out, unless a script failed half-way; a lost one may have been", () => {
  const { ErrorReply, ClientOfflineError, ClientClosedError, SocketClosedUnexpectedlyError } =
    library;
  const kinds: [Error, Reply["kind"]][] = [
    [new ErrorReply("OOM command not allowed"), "refused"],
    [new ErrorReply("ERR user_script:9: PARTLY DONE: OOM script: 1"), "lost"],
    [new ClientOfflineError(), "refused"],
    [new ClientClosedError(), "refused"],
    [new SocketClosedUnexpectedlyError(), "lost"],
  ];
  for (const [reason, kind] of kinds) {
    const reply = replyOf({ status: "rejected", reason });
    const isUnsent = reason instanceof ClientOfflineError || reason instanceof ClientClosedError;
    deepStrictEqual(reply, isUnsent ? UNSENT : { kind, cause: reason });
    const problem = kind === "lost" ? "outcome-unknown" : "store-unavailable";
    strictEqual(failureOf(reply, "outcome-unknown").kind, problem);
  }
});

const asked = { host: "asked", port: 1 };
const done = (value: unknown): Reply => ({ kind: "done", value });
const refusedBy = (message: string): Reply => ({ kind: "refused", cause: new Error(message) });

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
  await using _clock = skippingClock();
  const from = (reply: Reply) => askForList(() => Promise.resolve([reply]), ["CLUSTER", "SLOTS"]);
  deepStrictEqual(await from(done([1])), [1]);
  for (const other of [done("OK"), refusedBy("ERR")]) strictEqual(await from(other), undefined);
  const never = Promise.withResolvers<readonly Reply[]>();
  strictEqual(await askForList(() => never.promise, ["CLUSTER", "SLOTS"]), undefined);
});

Deno.test("redirectOf follows MOVED and ASK and nothing else", () => {
  deepStrictEqual(redirectOf(refusedBy("MOVED 866 10.0.0.2:7002"), asked), {
    isAsking: false,
    host: "10.0.0.2",
    port: 7002,
  });
  deepStrictEqual(redirectOf(refusedBy("ASK 1 2001:db8::1:7002"), asked), {
    isAsking: true,
    host: "2001:db8::1",
    port: 7002,
  });
  deepStrictEqual(redirectOf(refusedBy("MOVED 1 :7002"), asked)?.host, "asked");
  for (const text of ["MOVED", "ERR MOVED 1 a:1", "TRYAGAIN", "CLUSTERDOWN", "MOVED x a:1"]) {
    strictEqual(redirectOf(refusedBy(text), asked), undefined);
  }
  strictEqual(redirectOf(done("MOVED 866 10.0.0.2:7002"), asked), undefined);
});
