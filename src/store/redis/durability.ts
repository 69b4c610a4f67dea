import type { Log } from "../../log.ts";
import type { Risks } from "../../domain/store.ts";
import type { StoreLink } from "./node.ts";

const CHECK_INTERVAL_MS = 300_000;

/**
 * Asks each master now and every five minutes whether its settings can lose counts. Returns its
 * risks, see {@linkcode StoreCalls.risks}, and a function that ends this.
 *
 * Each risk is logged once. A master that does not answer keeps its risks. Nothing is assumed of
 * what Redis does not let this user see.
 */
export function watchDurability(
  { link, prefix, log }: { link: Pick<StoreLink, "shards">; prefix: string; log: Log },
  intervalMs = CHECK_INTERVAL_MS,
): { risks(): Risks; stop(): void } {
  const logged = new Set<string>();
  let risksOf: ReadonlyMap<string, Risks> = new Map();

  const risks = (): Risks => new Map([...risksOf.values()].flatMap((found) => [...found]));

  async function check(): Promise<void> {
    const found = new Map<string, Risks>();
    for (const { name, ask } of link.shards(prefix)) {
      const [save, reply] = await ask([["CONFIG", "GET", "save"], ["INFO"]]);
      const ofMaster = new Map<string, string>();
      found.set(name, reply?.kind === "done" ? ofMaster : risksOf.get(name) ?? ofMaster);
      if (reply?.kind !== "done") continue;
      const info = String(reply.value);
      const valueOf = (field: string) => new RegExp(`^${field}:(\\S+)`, "m").exec(info)?.[1];
      const policy = valueOf("maxmemory_policy") ?? "noeviction";
      const lost = policy.startsWith("volatile") ? "which repeats it has counted" : "counters";
      if (policy !== "noeviction") {
        const text = `Redis may forget ${lost}: set its maxmemory-policy to noeviction`;
        ofMaster.set("eviction", `${text} (it is ${policy})`);
      }
      const hasSnapshots = save?.kind !== "done" || String(save.value) !== "save,";
      if (valueOf("aof_enabled") === "0" && !hasSnapshots) {
        ofMaster.set("persistence", MEMORY_ONLY);
      }
    }
    risksOf = found;
    for (const text of risks().values()) {
      if (!logged.has(text)) log.warn(text);
      logged.add(text);
    }
  }

  check();
  const timer = setInterval(check, intervalMs);
  return { risks, stop: () => clearInterval(timer) };
}

const MEMORY_ONLY =
  "Redis keeps counters in memory only: set its appendonly to yes, or save to a schedule";
