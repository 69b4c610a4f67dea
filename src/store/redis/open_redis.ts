import { StartError } from "../../start_error.ts";
import type { StoreCalls } from "../../domain/store.ts";
import { withTimeout } from "../../waiting.ts";
import type { RedisAddress, RedisForm } from "../setting.ts";
import type { Log } from "../../log.ts";
import { openCluster } from "./cluster.ts";
import { RedisConnection } from "./connection.ts";
import { watchDurability } from "./durability.ts";
import { type LinkOptions, nameOf, RedisNode, singleLink, type StoreLink } from "./node.ts";
import type { RedisStoreOptions } from "./reading.ts";
import { createRedisStore } from "./redis_store.ts";
import { openSentinels } from "./sentinel.ts";

export interface OpenRedisOptions extends LinkOptions, Omit<RedisStoreOptions, "link"> {
  log: Log;
}

/**
 * Opens the counters in a Redis, whose settings are checked from then on. Rejects if no server
 * answers. Throws a {@linkcode StartError} if the store cannot be used with this setting.
 */
export async function openRedisStore(options: OpenRedisOptions): Promise<StoreCalls> {
  const link = await openRedis(options);
  const store = createRedisStore({ ...options, link });
  const { risks, stop } = watchDurability({ ...options, link });
  return {
    ...store,
    risks,
    close() {
      stop();
      return store.close();
    },
  };
}

/** Time in which a server has to tell whether it is a node of a cluster, a Sentinel, or neither. */
const DETECT_MS = 1000;

/**
 * Opens a single Redis, the master of Sentinels, or a cluster. Rejects if no server answers. Throws
 * a {@linkcode StartError} if the store cannot be used with this setting.
 */
export async function openRedis(options: LinkOptions): Promise<StoreLink> {
  const { setting: { form, addresses }, replicas, health } = options;
  switch (form === "any" ? await detectForm(addresses) : form) {
    case "cluster":
      return await openCluster(options);
    case "sentinel":
      return await openSentinels(options);
    default: {
      const [address, ...others] = addresses;
      if (others.length > 0) {
        throw new StartError(
          `The store that STORE_URL names has several addresses, but ${nameOf(address)} is a ` +
            "single Redis, not a cluster or a Sentinel",
        );
      }
      const node = new RedisNode({ address, replicas, health, followsName: true });
      node.confirm(Infinity);
      await node.attempted;
      return singleLink(() => node, () => node.close());
    }
  }
}

/**
 * Asks all addresses which form of Redis they are. The first answer decides. Rejects if there is
 * none.
 */
async function detectForm(
  addresses: readonly RedisAddress[],
): Promise<Exclude<RedisForm, "any"> | "single"> {
  const connections = addresses.map((address) => new RedisConnection({ address }));
  const forms = connections.map(async (connection) => {
    const error = await connection.attempted;
    // A node of a cluster refuses the database before it can be asked for its form.
    if (String(error).includes("SELECT is not allowed in cluster mode")) {
      throw new StartError(
        "The store that STORE_URL names is a Redis Cluster, which has no database but 0",
      );
    }
    if (error !== undefined) throw error;
    const [reply] = await connection.send([["INFO"]]);
    const info = reply?.kind === "done" ? String(reply.value) : "";
    if (info.includes("cluster_enabled:1")) return "cluster";
    // Forks of Redis call it `server_mode`.
    return /^\w+_mode:sentinel/m.test(info) ? "sentinel" : "single";
  });
  try {
    return await withTimeout(DETECT_MS, Promise.any(forms));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    await Promise.all(connections.map((connection) => connection.close()));
  }
}
