import { within } from "../../counter/within.ts";
import type { StoreHealth } from "../store_health.ts";
import { arrived } from "./redis_node.ts";
import { isReplicaRefusal } from "./connection/reply.ts";
import { SentinelWatch, type SentinelWatchOptions } from "./sentinel_watch.ts";
import { singleLink } from "./single_link.ts";
import type { StoreLink } from "./store_link.ts";

/** Options of {@linkcode openSentinels}. */
export interface SentinelOptions extends SentinelWatchOptions {
  /** Of the Redis that is the master. */
  health: StoreHealth;
}

/** How long servers that do not answer are waited for: hits that wait for it must not be overdue, as nothing was sent. */
const OPEN_MS = 700;

/** The way to the master that Sentinels name; resolves when it is connected, or cannot be for now. */
export async function openSentinels(options: SentinelOptions): Promise<StoreLink> {
  const watch = new SentinelWatch(options);
  const until = performance.now() + OPEN_MS;
  await within(OPEN_MS, watch.tried).catch(() => {});
  await watch.inquiry.ask();
  if (watch.node !== undefined) await arrived([watch.node], until);
  await watch.inquiry.askAnew();
  const { health } = options;
  const link = singleLink({ health, node: () => watch.node, close: () => watch.close() });
  return {
    ...link,
    async send(commands) {
      const replies = await link.send(commands);
      if (replies.some(isReplicaRefusal)) watch.inquiry.alarm();
      return replies;
    },
  };
}
