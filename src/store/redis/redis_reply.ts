import { tooManyDays } from "../../counter/setting.ts";
import { Problem, type ProblemName } from "../../problem.ts";
import type { RedisLibrary } from "./redis_client.ts";

/** What became of a command. */
export type Reply =
  | { readonly kind: "done"; readonly value: unknown }
  /** Redis answered with an error, or the command never left this process: it surely was not carried out. */
  | { readonly kind: "refused"; readonly cause: Error }
  /** The connection ended before the reply: it may have been carried out. */
  | { readonly kind: "lost"; readonly cause: unknown };

/** What a command of the library came to. */
export function replyOf(result: PromiseSettledResult<unknown>, library: RedisLibrary): Reply {
  if (result.status === "fulfilled") return { kind: "done", value: result.value };
  const { ErrorReply, ClientOfflineError, ClientClosedError } = library;
  const cause = result.reason;
  const refused = cause instanceof ErrorReply && !cause.message.includes(PARTLY) ||
    cause instanceof ClientOfflineError || cause instanceof ClientClosedError;
  return refused ? { kind: "refused", cause } : { kind: "lost", cause };
}

/** Whether a Redis refused a command because it is no master, any more or ever: writes belong elsewhere. */
export function refusedByReplica(reply: Reply): boolean {
  return reply.kind === "refused" && /\b(?:READONLY|MASTERDOWN)\b/.test(reply.cause.message);
}

/** Whether an error reply refuses the login, or what every connection begins with. */
export function refusesLogin({ message }: Error): boolean {
  return /^(?:WRONGPASS|NOAUTH|NOPERM)\b/.test(message);
}

/** Whether Redis refused a command that this user may not use, or not with these keys. */
export function isForbidden({ message }: Error): boolean {
  return message.startsWith("NOPERM");
}

/** Whether a command failed for another reason than what its key holds. */
export function isFailure(reply: Reply): reply is Exclude<Reply, { kind: "done" }> {
  return reply.kind !== "done" && !isForeignValue(reply.cause);
}

/** Whether Redis refused the command because of what the key holds. */
export function isForeignValue(cause: unknown): boolean {
  return cause instanceof Error && (FOREIGN.test(cause.message) || FULL.test(cause.message));
}

/** What a command that was not carried out means for its callers; `lost` where no reply came. */
export function problemOf(reply: Reply | undefined, lost: ProblemName): Problem {
  if (reply === undefined || reply.kind === "done") return new Problem(lost);
  const { kind, cause } = reply;
  if (kind === "lost") return new Problem(lost, { cause });
  if (FULL_OF_DAYS.test(cause.message)) return tooManyDays(cause);
  if (FULL.test(cause.message)) return new Problem("counter-full", { cause });
  return new Problem(isForeignValue(cause) ? "not-a-counter" : "store-unavailable", { cause });
}

/** What a script says that failed after it had changed something, see `write` in `scripts.ts`. */
const PARTLY = "PARTLY DONE";
// Some versions tell first that a script has failed.
const FOREIGN = /\bWRONGTYPE\b|not an integer|would overflow/;
/** What a script says, see `scripts.ts` and `set_script.ts`. */
const FULL = /counter is full/;
const FULL_OF_DAYS = /counter is full of days/;
