import type { RedisAddress } from "../../start/redis_address.ts";
import type { RedisSetting } from "../../start/redis_url.ts";
import type { StartError } from "../../start_error.ts";
import { type StoreHealth, UNWATCHED } from "../store_health.ts";
import { openCluster } from "./cluster_link.ts";
import { FindingLink } from "./finding_link.ts";
import type { RedisLibrary } from "./redis_client.ts";
import { RedisLink } from "./redis_link.ts";
import { nameOf, RedisNode } from "./redis_node.ts";
import { openSentinels } from "./sentinel_link.ts";
import type { StoreLink } from "./store_link.ts";

/** Options of {@linkcode openRedis}. */
export interface OpenRedisOptions {
  setting: RedisSetting;
  /** How many replicas must have what is written. */
  replicas: number;
  library: RedisLibrary;
  /** Of the store as a whole. */
  health: StoreHealth;
  /** Makes the health of one node of a cluster. */
  healthOf(node: string): StoreHealth;
  /** Called where a node of a cluster is no longer connected to. */
  onGone(node: string): void;
  /** Called for each command that a node of a cluster sends elsewhere. */
  onRedirect(): void;
  /** Called where the store turns out to be one that cannot be used at all. */
  onUnusable(error: StartError): void;
}

/** The way to a Redis of whatever form; resolves when it is connected, or cannot be for now. */
export async function openRedis(options: OpenRedisOptions): Promise<StoreLink> {
  const { setting, replicas, library, health, healthOf, onGone, onRedirect, onUnusable } = options;

  function connect(
    address: RedisAddress,
    { of = health, onInfo = () => {} }: { of?: StoreHealth; onInfo?(info: string): void } = {},
  ): RedisNode {
    return new RedisNode({ address, library, replicas, health: of, onInfo });
  }

  const open = {
    cluster: () =>
      openCluster({
        seeds: setting.addresses,
        health,
        connect: (address, onInfo) => connect(address, { of: healthOf(nameOf(address)), onInfo }),
        onGone: (address) => onGone(nameOf(address)),
        onRedirect,
      }),
    sentinel: () =>
      openSentinels({
        seeds: setting.addresses,
        master: setting.master,
        health,
        connect: (address) => connect(address),
        connectSentinel: (address) =>
          // One Sentinel of several may be away without harm.
          new RedisLink({ address, library, health: UNWATCHED, onInfo() {} }),
        onUnusable,
      }),
  };

  if (setting.form !== "any") return await open[setting.form]();
  const link = new FindingLink({
    addresses: setting.addresses,
    health,
    connect: (address, { health, onInfo }) => connect(address, { of: health, onInfo }),
    open,
    onUnusable,
  });
  await link.tried();
  return link;
}
