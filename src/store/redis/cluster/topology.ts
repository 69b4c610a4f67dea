import type { RedisAddress } from "../../../start/store_address.ts";
import { withTimeout } from "../../../counter/store.ts";
import type { StoreHealth } from "../../store_health.ts";
import { nameOf, type RedisNode } from "../connection/node.ts";
import { Poller } from "../connection/poller.ts";
import { type HostPort, knownHost, type Reply } from "../connection/reply.ts";
import { ASK_MS, CLUSTER_POLL_INTERVAL_MS, IDLE_NODE_MS } from "../limits.ts";
import { SLOTS } from "../layout.ts";

export interface TopologyOptions {
  /** The nodes to ask at first, and again when no other is left. */
  seeds: readonly RedisAddress[];
  /** Of the cluster as a whole: nodes have their own, but a slot may have no node. */
  health: StoreHealth;
  connect(address: RedisAddress): RedisNode;
  /** Called when a node is no longer connected to. */
  onGone(address: RedisAddress): void;
}

/** Which node serves which slot of a Redis Cluster, and the connections to the nodes. */
export class ClusterTopology {
  /** Asks one node after the other until one lists the slots. */
  readonly poller: Poller = new Poller({
    intervalMs: CLUSTER_POLL_INTERVAL_MS,
    poll: () => this.#poll(),
  });
  readonly #options: TopologyOptions;
  readonly #nodes = new Map<string, RedisNode>();
  /** When a node was last named, by `performance.now()`. */
  readonly #namedAt = new Map<RedisNode, number>();
  readonly #owners: (RedisNode | undefined)[] = Array.from({ length: SLOTS });
  /** The slots that a command was for while no node served them. */
  readonly #unserved = new Set<number>();
  #ranges: readonly SlotRange[] = [];
  /** Whether a node has ever listed the slots. */
  #isKnown = false;

  constructor(options: TopologyOptions) {
    this.#options = options;
    for (const seed of options.seeds) this.nodeAt(seed);
  }

  /** Every node to which there is a connection. */
  get nodes(): readonly RedisNode[] {
    return [...this.#nodes.values()];
  }

  /** Every node that serves slots, with the first range of those that it serves. */
  get masters(): ReadonlyMap<RedisNode, SlotRange> {
    const masters = new Map<RedisNode, SlotRange>();
    for (const range of this.#ranges) {
      const node = this.nodeAt(range.master);
      if (!masters.has(node)) masters.set(node, range);
    }
    return masters;
  }

  /** The node that serves a slot; undefined if none is known. */
  ownerOf(slot: number): RedisNode | undefined {
    return this.#owners[slot];
  }

  /** The node at an address, to which connections are kept from now on. */
  nodeAt({ host, port }: HostPort): RedisNode {
    const name = nameOf({ host, port });
    const node = this.#nodes.get(name) ?? this.#connect(name, { host, port });
    this.#namedAt.set(node, performance.now());
    return node;
  }

  /** Records that a slot has moved. */
  assign(slot: number, owner: RedisNode): void {
    this.#owners[slot] = owner;
  }

  /** Records that a command was for a slot without a known owner. */
  reportUnserved(slot: number): void {
    this.poller.refreshSoon();
    // If no node has listed the slots, all are away, and each of them reports that itself.
    if (!this.#isKnown) return;
    this.#unserved.add(slot);
    this.#options.health.unwritable(new Error(`No node serves slot ${slot}`));
  }

  async close(): Promise<void> {
    await this.poller.stop();
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  #connect(name: string, at: HostPort): RedisNode {
    const { seeds, connect } = this.#options;
    const [login] = seeds;
    if (login === undefined) throw new Error("Connect to a cluster: it has no address");
    const node = connect({ ...login, ...at, database: 0 });
    this.#nodes.set(name, node);
    return node;
  }

  async #poll(): Promise<boolean> {
    const askedAt = performance.now();
    for (const node of this.#candidates()) {
      const [reply] = await withTimeout(ASK_MS, node.ask([["CLUSTER", "SLOTS"]])).catch(() => []);
      const ranges = slotRanges(reply, node.address);
      if (ranges === undefined) continue;
      this.#applySlots(ranges, node, askedAt);
      break;
    }
    this.#forgetIdle();
    return this.#isWhole();
  }

  /** The nodes to ask, usable ones first; the seeds too while a master is missing. */
  #candidates(): readonly RedisNode[] {
    if (!this.#isWhole()) this.#options.seeds.forEach((seed) => this.nodeAt(seed));
    return this.nodes.toSorted((one, other) => Number(other.usable) - Number(one.usable));
  }

  #applySlots(ranges: readonly SlotRange[], source: RedisNode, askedAt: number): void {
    const alone = !this.#nodes.values().some((node) => node !== source && node.usable);
    this.#isKnown = true;
    this.#ranges = ranges;
    for (const { first, last, master } of ranges) {
      const node = this.nodeAt(master);
      // A node that was replaced while it hung would still name itself.
      if (node !== source || alone) node.confirm(askedAt);
      this.#owners.fill(node, first, last + 1);
    }
    for (const slot of this.#unserved) {
      if (this.ownerOf(slot) !== undefined) this.#unserved.delete(slot);
    }
    if (this.#unserved.size === 0) this.#options.health.healthy();
  }

  #isWhole(): boolean {
    return this.#ranges.length > 0 && this.masters.keys().every((node) => node.usable);
  }

  #forgetIdle(): void {
    const latest = performance.now() - IDLE_NODE_MS;
    for (const [name, node] of this.#nodes) {
      if ((this.#namedAt.get(node) ?? 0) > latest) continue;
      this.#nodes.delete(name);
      this.#namedAt.delete(node);
      node.close();
      this.#options.onGone(node.address);
    }
  }
}

/** A range of slots and the master that serves it. */
export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly master: HostPort;
}

/** Parses the reply to `CLUSTER SLOTS`, undefined if it is none; `asked` is used for a node that does not give its host. */
export function slotRanges(
  reply: Reply | undefined,
  asked: HostPort,
): readonly SlotRange[] | undefined {
  if (reply?.kind !== "done" || !Array.isArray(reply.value)) return undefined;
  return reply.value.map((range: unknown) => slotRange(range, asked))
    .filter((range) => range !== undefined);
}

function slotRange(range: unknown, asked: HostPort): SlotRange | undefined {
  if (!Array.isArray(range)) return undefined;
  const [first, last, master] = range;
  if (!Array.isArray(master)) return undefined;
  const [host, port] = master;
  const address = { host: knownHost(host) ?? asked.host, port: Number(port) };
  return { first: Number(first), last: Number(last), master: address };
}
