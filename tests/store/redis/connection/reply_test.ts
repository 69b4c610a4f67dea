import { deepStrictEqual, strictEqual } from "node:assert/strict";
import * as library from "@redis/client";
import {
  hasNoDatabases,
  isFailure,
  isForbidden,
  isLoginRefused,
  isReplicaRefusal,
  isTopologyStale,
  isTryAgain,
  isUnknownScript,
  needsLogin,
  problemOf,
  redirectOf,
  type Reply,
  replyOf,
} from "../../../../src/store/redis/connection/reply.ts";

const asked = { host: "asked", port: 1 };
const done = (value: unknown): Reply => ({ kind: "done", value });
const refused = (message: string) => ({ kind: "refused" as const, cause: new Error(message) });

/** What Redis 6.0 to 8.0 say, and all that it means; what is not named does not hold. */
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
  "WRONGPASS invalid username-password pair or user is disabled.": ["login refused"],
  "NOAUTH Authentication required.": ["login refused", "needs login"],
  "READONLY You can't write against a read only replica.": ["replica", "stale topology"],
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.": [
    ...["replica", "stale topology"],
  ],
  "CLUSTERDOWN The cluster is down": ["stale topology"],
  "LOADING Redis is loading the dataset in memory": ["stale topology"],
  "TRYAGAIN Multiple keys request during rehashing of slot": ["try again"],
  "ERR Script attempted to access a non local key in a cluster node script: 1": ["try again"],
  "ERR TRYAGAIN": [],
  "ERR SELECT is not allowed in cluster mode": ["no databases"],
  "OOM command not allowed when used memory > 'maxmemory'.": [],
  "MISCONF Redis is configured to save RDB snapshots, but it is currently not able to": [],
};

/** Errors of a single command: everything else says that the store cannot do its work. */
const OWN_ERRORS =
  /WRONGTYPE|not an integer|overflow|full|NOSCRIPT|unknown command|syntax|WRONGPASS|TRYAGAIN|non local|SELECT/;

for (const [message, meant] of Object.entries(MEANINGS)) {
  Deno.test(`reply: what "${message.slice(0, 70)}" means`, () => {
    const reply = refused(message);
    const { cause } = reply;
    const problem = problemOf(reply, "outcome-unknown").kind;
    const found = [
      ...problem === "store-unavailable" ? [] : [problem],
      ...isUnknownScript(cause) ? ["unknown script"] : [],
      ...isReplicaRefusal(reply) ? ["replica"] : [],
      ...isTopologyStale(cause) ? ["stale topology"] : [],
      ...isTryAgain(reply) ? ["try again"] : [],
      ...isLoginRefused(cause) ? ["login refused"] : [],
      ...needsLogin(reply) ? ["needs login"] : [],
      ...isForbidden(cause) ? ["forbidden"] : [],
      ...hasNoDatabases(cause) ? ["no databases"] : [],
    ];
    deepStrictEqual(found, meant);
    strictEqual(isFailure(reply), !OWN_ERRORS.test(message));
  });
}

Deno.test("replyOf: an error reply was surely not carried out, unless a script failed half-way; a lost one may have been", () => {
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
    const reply = replyOf({ status: "rejected", reason }, library);
    const isUnsent = reason instanceof ClientOfflineError || reason instanceof ClientClosedError;
    deepStrictEqual(reply, { kind, cause: reason, ...isUnsent && { isUnsent } });
    const problem = kind === "lost" ? "outcome-unknown" : "store-unavailable";
    strictEqual(problemOf(reply, "outcome-unknown").kind, problem);
  }
});

Deno.test("redirectOf: follows MOVED and ASK and nothing else", () => {
  deepStrictEqual(redirectOf(refused("MOVED 866 10.0.0.2:7002"), asked), {
    asking: false,
    slot: 866,
    host: "10.0.0.2",
    port: 7002,
  });
  deepStrictEqual(redirectOf(refused("ASK 1 2001:db8::1:7002"), asked), {
    asking: true,
    slot: 1,
    host: "2001:db8::1",
    port: 7002,
  });
  deepStrictEqual(redirectOf(refused("MOVED 1 :7002"), asked)?.host, "asked");
  for (const text of ["MOVED", "ERR MOVED 1 a:1", "TRYAGAIN", "CLUSTERDOWN", "MOVED x a:1"]) {
    strictEqual(redirectOf(refused(text), asked), undefined);
  }
  strictEqual(redirectOf(done("MOVED 866 10.0.0.2:7002"), asked), undefined);
});
