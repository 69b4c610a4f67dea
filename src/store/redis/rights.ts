import { relatedKey } from "./layout.ts";
import type { StoreLink } from "./node.ts";
import { type Command, isRefused } from "./reply.ts";

/** Reports that the Redis user lacks permissions. */
export class RightsError extends Error {
  override readonly name = "RightsError";
}

/**
 * Throws a {@linkcode RightsError} that names the commands and keys that the Redis user lacks.
 * Every command is sent in a form that changes nothing, for a counter that no id can name. Other
 * refusals and an unreachable Redis are not errors here.
 */
export async function checkRights(link: Pick<StoreLink, "shards">, prefix: string): Promise<void> {
  const probe = `${prefix}\u0000`;
  const ledger = relatedKey(probe, "days");
  const salt = "tallymark:salt:0";
  const patterns = new Map([
    [probe, `~${prefix}*`],
    [ledger, `~${relatedKey(`${prefix}*`, "days").replace(/\*.*/, "*")}`],
    [salt, "~tallymark:salt:*"],
  ]);
  const commands: readonly Command[] = [
    ["GET", probe],
    ["GET", ledger],
    ["GET", salt],
    ["MGET", probe],
    ["SCAN", "0", "COUNT", "1"],
    ["SET", probe, "", "XX"],
    ["SET", ledger, "", "XX"],
    ["SET", salt, "", "XX"],
    ["INCRBY", probe, "none"],
    ["SISMEMBER", ledger, ""],
    // Removed again by DEL, or after a second.
    ["SADD", ledger, ""],
    ["EXPIRE", ledger, "1"],
    ["DEL", ledger],
    ["EVALSHA", "0".repeat(40), "1", probe],
    ["EVAL", "return 1", "1", probe],
  ];
  // Redis checks permissions before it redirects, so that any master of a cluster tells them.
  const [shard] = link.shards(prefix);
  const replies = await shard?.ask(commands) ?? [];
  const missing = new Set<string>();
  replies.forEach((reply, at) => {
    if (!isRefused(reply, "missingRight")) return;
    const [name = "", key = ""] = commands[at] ?? [];
    const isCommand = /command/.test(reply.cause.message);
    missing.add(isCommand ? `+${name.toLowerCase()}` : patterns.get(key) ?? `~${prefix}*`);
  });
  if (missing.size === 0) return;
  const rules = [...missing].join(" ");
  throw new RightsError(
    `The Redis user lacks permissions. Run ACL SETUSER with these rules: ${rules}`,
  );
}
