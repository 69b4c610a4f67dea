import { Problem, StartError } from "../../problem.ts";
import type { RedisAddress, RedisSetting } from "../../start/store_address.ts";
import { NOOP_HEALTH, type StoreHealth } from "../store_health.ts";
import { openCluster } from "./cluster/router.ts";
import { type Command, RedisConnection, type RedisLibrary } from "./connection/client.ts";
import {
  connectionsAttempted,
  nameOf,
  RedisNode,
  type Shard,
  singleLink,
  type StoreLink,
} from "./connection/node.ts";
import { hasNoDatabases, type Reply } from "./connection/reply.ts";
import { DETECT_MS } from "./limits.ts";
import { openSentinels } from "./sentinel/watch.ts";

export interface OpenRedisOptions {
  setting: RedisSetting;
  /** How many replicas must have a write before it counts as done. */
  replicas: number;
  library: RedisLibrary;
  /** Of the store as a whole. */
  health: StoreHealth;
  /** Makes the health of one node of a cluster. */
  healthOf(node: string): StoreHealth;
  /** Called when a node of a cluster is no longer connected to. */
  onGone(node: string): void;
  /** Called for each command that a node of a cluster redirects. */
  onRedirect(): void;
  /** Called if the store turns out to be one that cannot be used at all. */
  onUnusable(error: StartError): void;
}

/** Opens a single Redis, the master of Sentinels, or a cluster; resolves when it is connected, or cannot be for now. */
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
          new RedisConnection({ address, library, health: NOOP_HEALTH, onInfo() {} }),
        onUnusable,
      }),
  };

  if (setting.form !== "any") return await open[setting.form]();
  const link = new DetectingLink({
    addresses: setting.addresses,
    health,
    connect: (address, { health, onInfo }) => connect(address, { of: health, onInfo }),
    open,
    onUnusable,
  });
  await link.attempted();
  return link;
}

interface DetectingLinkOptions {
  addresses: readonly RedisAddress[];
  /** Of a single Redis, and until the form is known. */
  health: StoreHealth;
  connect(
    address: RedisAddress,
    options: { health: StoreHealth; onInfo(info: string): void },
  ): RedisNode;
  open: Readonly<Record<"cluster" | "sentinel", () => Promise<StoreLink>>>;
  onUnusable(error: StartError): void;
}

/** The link to a Redis whose form the setting does not say: the first address that answers decides, now or later. */
class DetectingLink implements StoreLink {
  readonly #options: DetectingLinkOptions;
  readonly #nodes: readonly RedisNode[];
  #opening: Promise<void> | undefined;
  #link: StoreLink | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: DetectingLinkOptions) {
    this.#options = options;
    const health = this.#rejectingCluster(options.health);
    this.#nodes = options.addresses.map((address, index) =>
      options.connect(address, {
        health,
        onInfo: (info) => this.#opening ??= this.#open(index, info),
      })
    );
  }

  /** Resolves when an address has answered, or all have been tried. */
  async attempted(): Promise<void> {
    await connectionsAttempted(this.#nodes, performance.now() + DETECT_MS);
    await this.#opening;
  }

  get health(): StoreHealth {
    return this.#link?.health ?? this.#options.health;
  }

  get multiKeyAcrossSlots(): boolean {
    return this.#link?.multiKeyAcrossSlots ?? true;
  }

  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    return await this.#detected().send(commands);
  }

  shards(prefix: string): readonly Shard[] {
    return this.#detected().shards(prefix);
  }

  scan(prefix: string): AsyncIterable<readonly string[]> {
    return this.#detected().scan(prefix);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #detected(): StoreLink {
    if (this.#link === undefined) throw new Problem("store-unavailable");
    return this.#link;
  }

  /** A node of a cluster refuses the login if the setting names a database, before it can be asked for its form. */
  #rejectingCluster(health: StoreHealth): StoreHealth {
    return {
      ...health,
      unreachable: (cause) => {
        health.unreachable(cause);
        if (hasNoDatabases(cause)) {
          this.#reject("is a Redis Cluster, which has no database but 0");
        }
      },
    };
  }

  async #open(index: number, info: string): Promise<void> {
    const node = this.#nodes[index];
    if (node === undefined || this.#closing !== undefined) return;
    const form = formIn(info);
    if (form === "standalone") return this.#openSingle(node);
    const link = await this.#options.open[form]();
    // Some of several addresses may be away without harm; from now on the link reports its own health.
    this.#options.health.healthy();
    this.#link = link;
    await this.#disconnect();
  }

  #openSingle(node: RedisNode): void {
    if (this.#nodes.length > 1) {
      return this.#reject(
        `has several addresses, but ${
          nameOf(node.address)
        } is a single Redis, not a cluster or a Sentinel`,
      );
    }
    const { health } = this.#options;
    node.confirm(Infinity);
    this.#link = singleLink({ health, node: () => node, close: () => Promise.resolve() });
  }

  #reject(why: string): void {
    this.#options.onUnusable(new StartError(`The store that STORE_URL names ${why}`));
  }

  async #disconnect(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  async #end(): Promise<void> {
    await this.#disconnect();
    await this.#opening;
    await this.#link?.close();
  }
}

/** The key is `redis_mode` or, for forks of Redis, `server_mode`. */
function formIn(info: string): "standalone" | "cluster" | "sentinel" {
  if (info.includes("cluster_enabled:1")) return "cluster";
  return /^\w+_mode:sentinel/m.test(info) ? "sentinel" : "standalone";
}
