import type { Log } from "../../log.ts";
import type { Risks } from "../../domain/store.ts";
import type { StoreLink } from "./node.ts";
import { isRefused } from "./reply.ts";

const CHECK_INTERVAL_MS = 300_000;

interface DurabilityOptions {
  link: Pick<StoreLink, "shards">;
  prefix: string;
  log: Log;
  intervalMs?: number;
}

/**
 * Asks each master now and every five minutes whether its settings can lose counts. Returns its
 * risks, see {@linkcode OpenStore.risks}, and a function that ends this.
 *
 * Each risk is logged once. A master that does not answer keeps its risks. Keys that Redis has
 * evicted since the first check are errors.
 */
export function watchDurability(
  { link, prefix, log, intervalMs = CHECK_INTERVAL_MS }: DurabilityOptions,
): { risks(): Risks; stop(): void } {
  const logged = new Set<string>();
  const evicted = new Map<string, number>();
  let risksOf: ReadonlyMap<string, Risks> = new Map();

  const risks = (): Risks => new Map([...risksOf.values()].flatMap((found) => [...found]));

  function logOnce(level: "info" | "warn", text: string): void {
    if (!logged.has(text)) log[level](text);
    logged.add(text);
  }

  async function check(): Promise<void> {
    const found = new Map<string, Risks>();
    for (const { name, ask } of link.shards(prefix)) {
      const [save, reply] = await ask([["CONFIG", "GET", "save"], ["INFO"]]);
      const ofMaster = new Map<string, string>();
      found.set(name, reply?.kind === "done" ? ofMaster : risksOf.get(name) ?? ofMaster);
      if (isRefused(reply, "forbidden")) logOnce("info", UNKNOWN);
      if (reply?.kind !== "done") continue;
      const info = String(reply.value);
      const valueOf = (field: string) => new RegExp(`^${field}:(\\S+)`, "m").exec(info)?.[1];
      const policy = valueOf("maxmemory_policy") ?? "noeviction";
      const lost = policy.startsWith("volatile") ? "which repeats it has counted" : "counters";
      if (policy !== "noeviction") {
        const text = `Redis may forget ${lost}: set its maxmemory-policy to noeviction`;
        ofMaster.set("eviction", `${text} (it is ${policy})`);
      }
      if (valueOf("aof_enabled") === "0") {
        if (save?.kind !== "done") logOnce("info", SNAPSHOTS_UNKNOWN);
        else if (String(save.value) === "save,") ofMaster.set("persistence", MEMORY_ONLY);
      }
      const count = Number(valueOf("evicted_keys") ?? 0);
      const before = evicted.get(name) ?? count;
      evicted.set(name, count);
      if (count > before) log.error(EVICTED, { shard: name, keys: count - before });
    }
    risksOf = found;
    for (const text of risks().values()) logOnce("warn", text);
  }

  check();
  const timer = setInterval(check, intervalMs);
  return { risks, stop: () => clearInterval(timer) };
}

const UNKNOWN = "INFO of Redis not allowed: unknown whether it may evict or lose counters";
const SNAPSHOTS_UNKNOWN =
  "Redis has no append-only file, and CONFIG GET is not allowed: unknown whether it takes snapshots";
const MEMORY_ONLY =
  "Redis keeps counters in memory only: set its appendonly to yes, or save to a schedule";
const EVICTED =
  "Redis evicted keys, numbers are lost: set its maxmemory-policy to noeviction and raise maxmemory";
