import type { RedisAddress } from "../../start/redis_address.ts";
import { within } from "../../counter/within.ts";
import type { StoreHealth } from "../store_health.ts";
import { type Place, type SlotRange, slotRanges } from "./cluster_slots.ts";
import { SLOTS } from "./key_slot.ts";
import { Inquiry } from "./inquiry.ts";
import { nameOf, type RedisNode } from "./redis_node.ts";

/** Options of {@linkcode ClusterTopology}. */
export interface ClusterTopologyOptions {
  /** Those to ask at first, and when no other node is left. */
  seeds: readonly RedisAddress[];
  /** Of the cluster as a whole: its nodes have their own, but a slot may have none. */
  health: StoreHealth;
  /** Connects to one more node. */
  connect(address: RedisAddress): RedisNode;
  /** Called where a node is no longer connected to. */
  onGone(address: RedisAddress): void;
}

/** How often the slots are asked for while all is well, as a node that was replaced may not know it yet. */
const CALM_MS = 1000;
/** How long a node may take to tell the slots until another one is asked. */
const ASK_MS = 300;
/** How long a node that serves no slot is kept, as one may be on its way there. */
const IDLE_MS = 30_000;

/** Who serves which slot of a Redis Cluster, as its nodes last told, and the connections to them. */
export class ClusterTopology {
  /** Asks the nodes, one after the other, until one tells the slots. */
  readonly inquiry: Inquiry = new Inquiry({ calmMs: CALM_MS, ask: () => this.#ask() });
  readonly #options: ClusterTopologyOptions;
  readonly #nodes = new Map<string, RedisNode>();
  /** When a node was last named, by `performance.now()`. */
  readonly #namedAt = new Map<RedisNode, number>();
  readonly #owners: (RedisNode | undefined)[] = Array.from({ length: SLOTS });
  /** The slots that commands were for and nobody served. */
  readonly #missing = new Set<number>();
  #ranges: readonly SlotRange[] = [];
  /** Whether a node has told the slots. */
  #told = false;

  constructor(options: ClusterTopologyOptions) {
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

  /** The node that serves a slot; undefined where none is known. */
  ownerOf(slot: number): RedisNode | undefined {
    return this.#owners[slot];
  }

  /** The node at a place, to which connections are kept from now on. */
  nodeAt({ host, port }: Place): RedisNode {
    const name = nameOf({ host, port });
    const node = this.#nodes.get(name) ?? this.#connect(name, { host, port });
    this.#namedAt.set(node, performance.now());
    return node;
  }

  /** Takes note that a slot has moved. */
  move(slot: number, owner: RedisNode): void {
    this.#owners[slot] = owner;
  }

  /** Takes note that a command was for a slot of which no owner is known. */
  miss(slot: number): void {
    this.inquiry.alarm();
    // Where no node has told the slots, they are away, and that is told of each of them.
    if (!this.#told) return;
    this.#missing.add(slot);
    this.#options.health.unwritable(new Error(`No node serves slot ${slot}`));
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.inquiry.end();
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  #connect(name: string, place: Place): RedisNode {
    const { seeds, connect } = this.#options;
    const [like] = seeds;
    if (like === undefined) throw new Error("Connect to a cluster: it has no address");
    const node = connect({ ...like, ...place, database: 0 });
    this.#nodes.set(name, node);
    return node;
  }

  async #ask(): Promise<boolean> {
    const askedAt = performance.now();
    for (const node of this.#informants()) {
      const [reply] = await within(ASK_MS, node.ask([["CLUSTER", "SLOTS"]])).catch(() => []);
      const ranges = slotRanges(reply, node.address);
      if (ranges === undefined) continue;
      this.#learn(ranges, node, askedAt);
      break;
    }
    this.#forgetIdle();
    return this.#isWhole();
  }

  /** Those that may be relied on first; the seeds are among the others. */
  #informants(): readonly RedisNode[] {
    if (!this.#isWhole()) this.#options.seeds.forEach((seed) => this.nodeAt(seed));
    return this.nodes.toSorted((one, other) => Number(other.usable) - Number(one.usable));
  }

  #learn(ranges: readonly SlotRange[], informant: RedisNode, askedAt: number): void {
    const alone = !this.#nodes.values().some((node) => node !== informant && node.usable);
    this.#told = true;
    this.#ranges = ranges;
    for (const { first, last, master } of ranges) {
      const node = this.nodeAt(master);
      // A node that was replaced while it hung would still name itself.
      if (node !== informant || alone) node.confirm(askedAt);
      this.#owners.fill(node, first, last + 1);
    }
    for (const slot of this.#missing) {
      if (this.ownerOf(slot) !== undefined) this.#missing.delete(slot);
    }
    if (this.#missing.size === 0) this.#options.health.well();
  }

  #isWhole(): boolean {
    return this.#ranges.length > 0 && this.masters.keys().every((node) => node.usable);
  }

  #forgetIdle(): void {
    const latest = performance.now() - IDLE_MS;
    for (const [name, node] of this.#nodes) {
      if ((this.#namedAt.get(node) ?? 0) > latest) continue;
      this.#nodes.delete(name);
      this.#namedAt.delete(node);
      node.close();
      this.#options.onGone(node.address);
    }
  }
}
