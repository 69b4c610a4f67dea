import { Problem } from "../../problem.ts";
import type { RedisNode } from "./redis_node.ts";

/** How many keys a server looks at before it takes the next command: with 1,000 hits fell to half beside an export. */
const PAGE = "200";

/**
 * The keys of one server that begin with `prefix`, in pages; one that was there throughout comes at least once. Fails where
 * the connection breaks meanwhile: to another server, or to this one after a restart, the cursor means something else.
 */
export async function* scanNode(
  node: RedisNode,
  prefix: string,
): AsyncGenerator<readonly string[]> {
  const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, "\\$&")}*`;
  const since = node.readySince;
  let cursor = "0";
  do {
    const command = ["SCAN", cursor, "MATCH", pattern, "COUNT", PAGE];
    const [reply] = await node.send([command]);
    if (reply?.kind !== "done" || !Array.isArray(reply.value)) {
      throw new Problem("store-unavailable", {
        cause: reply?.kind === "done" ? reply.value : reply?.cause,
      });
    }
    if (node.readySince !== since) throw new Problem("store-unavailable");
    const [next, keys] = reply.value;
    cursor = String(next);
    yield keys.map(String);
  } while (cursor !== "0");
}
