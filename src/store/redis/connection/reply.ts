import { Problem, type ProblemName } from "../../../problem.ts";
import type { RedisAddress } from "../../../start/store_address.ts";
import type { RedisLibrary } from "./client.ts";

/** What became of a command. */
export type Reply =
  | { readonly kind: "done"; readonly value: unknown }
  /** Redis answered with an error, or the command never left this process: it surely was not carried out. */
  | { readonly kind: "refused"; readonly cause: Error; readonly isUnsent?: boolean }
  /** The connection ended before the reply, or a script failed half-way: it may have been carried out. */
  | { readonly kind: "lost"; readonly cause: unknown };

/** What the scripts fail with; the first is what Redis itself says of INCRBY. */
export const SCRIPT_ERRORS = {
  notACounter: "value is not an integer or out of range",
  full: "counter is full",
  /** It has changed something before it failed, and Redis undoes nothing. */
  partlyDone: "PARTLY DONE",
};

/** How Redis begins a refusal when it is out of memory, for the scripts. */
export const OUT_OF_MEMORY = "OOM";

/** What a command of the library came to. */
export function replyOf(result: PromiseSettledResult<unknown>, library: RedisLibrary): Reply {
  if (result.status === "fulfilled") return { kind: "done", value: result.value };
  const { ErrorReply, ClientOfflineError, ClientClosedError } = library;
  const cause = result.reason;
  const wasRefused = cause instanceof ErrorReply &&
    !cause.message.includes(SCRIPT_ERRORS.partlyDone);
  const wasUnsent = cause instanceof ClientOfflineError || cause instanceof ClientClosedError;
  if (wasUnsent) return { kind: "refused", cause, isUnsent: true };
  return wasRefused ? { kind: "refused", cause } : { kind: "lost", cause };
}

/** What a command that was not carried out means for its callers; `lost` if no reply came. */
export function problemOf(reply: Reply | undefined, lost: ProblemName): Problem {
  if (reply === undefined || reply.kind === "done") return new Problem(lost);
  const { kind, cause } = reply;
  if (kind === "lost") return new Problem(lost, { cause });
  if (cause.message.includes(SCRIPT_ERRORS.full)) return new Problem("counter-full", { cause });
  return new Problem(isForeignValue(cause) ? "not-a-counter" : "store-unavailable", { cause });
}

/** Reports whether a reply says that the store cannot do its work. Every other refusal is an error of its command alone. */
export function isFailure(reply: Reply): reply is Exclude<Reply, { kind: "done" }> {
  if (reply.kind !== "refused") return reply.kind === "lost";
  return reply.isUnsent || STORE_ERRORS.test(reply.cause.message);
}

/** Error replies for which Redis refuses any command of the kind. Some versions put them after "Error running script". */
const STORE_ERRORS = new RegExp(
  [
    /\b(?:OOM|MISCONF|READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|LOADING|BUSY|NOAUTH|NOPERM)\b/,
    /The user executing the script can't|ACL failure in script/,
  ].map(({ source }) => source).join("|"),
);

function isForeignValue({ message }: Error): boolean {
  return /\bWRONGTYPE\b|not an integer|would overflow/.test(message);
}

/** Whether an error reply refuses the login, or what every connection begins with. */
export function isLoginRefused({ message }: Error): boolean {
  return /^(?:WRONGPASS|NOAUTH|NOPERM)\b/.test(message);
}

/** Whether Redis wants a login that it was not given. */
export function needsLogin(reply: Reply | undefined): reply is Reply & { kind: "refused" } {
  return reply?.kind === "refused" && reply.cause.message.startsWith("NOAUTH");
}

/** Whether a connection was refused because it asked for a database, which a node of a cluster does not have. */
export function hasNoDatabases(cause: unknown): boolean {
  return String(cause).includes("SELECT is not allowed in cluster mode");
}

/** Reports whether an error says that the Redis user lacks a permission. Redis 7.2 changed the words for scripts. */
export function isForbidden({ message }: Error): boolean {
  return /^NOPERM|The user executing the script can't|ACL failure in script/.test(message);
}

/** Whether Redis does not know a script by its name. */
export function isUnknownScript({ message }: Error): boolean {
  return message.startsWith("NOSCRIPT");
}

/** Whether a Redis refused a command because it is no master, any more or ever: writes belong elsewhere. */
export function isReplicaRefusal(reply: Reply): boolean {
  return reply.kind === "refused" && /\b(?:READONLY|MASTERDOWN)\b/.test(reply.cause.message);
}

/** Where a server is. */
export type HostPort = Pick<RedisAddress, "host" | "port">;

/** Where a node of a cluster sends a command that it does not serve. */
export interface Redirect extends HostPort {
  /** For this command alone, because the slot is being moved there. */
  readonly asking: boolean;
  readonly slot: number;
}

/** Where a reply sends a command; undefined if it does not. */
export function redirectOf(reply: Reply, asked: HostPort): Redirect | undefined {
  if (reply.kind !== "refused") return undefined;
  const [, kind, slot, host, port] = /^(MOVED|ASK) (\d+) (.*):(\d+)$/.exec(reply.cause.message) ??
    [];
  if (kind === undefined) return undefined;
  return {
    asking: kind === "ASK",
    slot: Number(slot),
    host: knownHost(host) ?? asked.host,
    port: Number(port),
  };
}

/** A node that does not know its own name, or must not tell it, gives none: it is at the address that was asked. */
export function knownHost(host: unknown): string | undefined {
  return typeof host === "string" && host !== "" && host !== "?" ? host : undefined;
}

/** Whether some keys of a command are on one node and some on another, because their slot is being moved. */
export function isTryAgain(reply: Reply): boolean {
  // The second is said of a key that a script looks at without having declared it.
  return reply.kind === "refused" &&
    /^TRYAGAIN|access a non local key/.test(reply.cause.message);
}

/** Whether a node does not know, or not yet, who serves a slot. */
export function isTopologyStale({ message }: Error): boolean {
  return /^(?:CLUSTERDOWN|MASTERDOWN|READONLY|LOADING)\b/.test(message);
}
