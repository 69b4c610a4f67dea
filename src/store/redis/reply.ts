import { ClientClosedError, ClientOfflineError, ErrorReply } from "@redis/client";
import { Failure, type FailureKind } from "../../domain/errors.ts";

/** A command of Redis: its name and its arguments. */
export type Command = readonly string[];

/** The outcome of a command. */
export type Reply =
  | { readonly kind: "done"; readonly value: unknown }
  /** Redis replied with an error, or the command was not sent. It was not carried out. */
  | { readonly kind: "refused"; readonly cause: Error }
  /** The connection ended before the reply, or a script failed half-way. It may have an effect. */
  | { readonly kind: "lost"; readonly cause: unknown };

/** The reply to a command for which no server is connected. */
export const UNSENT: Reply = { kind: "refused", cause: new Failure("store-unavailable") };

const READS: ReadonlySet<string> = new Set(["GET", "MGET", "SCAN", "CLUSTER"]);

/** Reports whether a command may change something. A script counts as a write. */
export function isWrite([name = ""]: Command): boolean {
  return !READS.has(name);
}

/** The errors of the scripts. The first is the text that Redis itself uses for INCRBY. */
export const SCRIPT_ERRORS = {
  notACounter: "value is not an integer or out of range",
  full: "counter is full",
  /** The script changed something before it failed, and Redis undoes nothing. */
  partlyDone: "PARTLY DONE",
};

/** The first word of a refusal by a Redis that is out of memory. */
export const OUT_OF_MEMORY = "OOM";

/** Converts the outcome of a command of the library. */
export function replyOf(result: PromiseSettledResult<unknown>): Reply {
  if (result.status === "fulfilled") return { kind: "done", value: result.value };
  const cause = result.reason;
  if (cause instanceof ClientOfflineError || cause instanceof ClientClosedError) return UNSENT;
  const wasRefused = cause instanceof ErrorReply &&
    !cause.message.includes(SCRIPT_ERRORS.partlyDone);
  return { kind: wasRefused ? "refused" : "lost", cause };
}

/** Returns the failure of a command that was not carried out, `lost` if its reply was lost. */
export function failureOf(reply: Reply | undefined, lost: FailureKind): Failure {
  if (reply === undefined || reply.kind === "done") return new Failure(lost);
  const { kind, cause } = reply;
  if (kind === "lost") return new Failure(lost, { cause });
  if (cause.message.includes(SCRIPT_ERRORS.full)) return new Failure("counter-full", { cause });
  const kindOfFailure = isRefused(reply, "foreignValue") ? "not-a-counter" : "store-unavailable";
  return new Failure(kindOfFailure, { cause });
}

/**
 * Error replies by their meaning. Some versions put their words after "Error running script", and
 * Redis 7.2 changed those about the rights of scripts.
 */
const REFUSALS = {
  /** An error of the value of a key, so that the store itself works. */
  foreignValue: /\bWRONGTYPE\b|not an integer|would overflow/,
  /** An error of the login, or of a command that every connection begins with. */
  login: /^(?:WRONGPASS|NOAUTH|NOPERM)\b/,
  /** Redis requires a login that the setting does not have. */
  missingLogin: /^NOAUTH\b/,
  /**
   * The user lacks a permission. Dragonfly also denies keys that a script does not declare, unless
   * a flag is set.
   */
  forbidden: /^NOPERM|The user executing the script can't|ACL failure in script|\bundeclared key\b/,
  /** A part of those: an error of the keys of a command, so that the store itself works. */
  missingKey: /\baccess (?:a|one of the|at least one of the|the '.*') keys?\b/s,
  unknownScript: /^NOSCRIPT\b/,
  replica: /\b(?:READONLY|MASTERDOWN)\b/,
  /** It, or another node, may accept the command soon. The last is about an undeclared key. */
  retryable:
    /^(?:MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY|LOADING)\b|access a non local key/,
  /** Redis refuses any command of the kind. */
  store:
    /\b(?:OOM|MISCONF|READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|LOADING|BUSY|NOAUTH|NOPERM)\b/,
};

/** Reports whether Redis refused a command for this reason. */
export function isRefused(
  reply: Reply | undefined,
  why: keyof typeof REFUSALS,
): reply is Reply & { kind: "refused" } {
  return reply?.kind === "refused" && REFUSALS[why].test(reply.cause.message);
}

/**
 * Reports whether a reply says that the store cannot do its work. Every other refusal is an error
 * of its command alone.
 */
export function isFailure(reply: Reply): reply is Exclude<Reply, { kind: "done" }> {
  if (reply.kind !== "refused" || isRefused(reply, "missingKey")) return reply.kind === "lost";
  return reply === UNSENT || isRefused(reply, "store") || isRefused(reply, "forbidden");
}
