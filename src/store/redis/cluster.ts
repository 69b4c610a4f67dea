import { Problem } from "../../problem.ts";
import type { RedisAddress } from "../../start/store_address.ts";
import { withTimeout } from "../../counter/store.ts";
import type { StoreHealth } from "../store_health.ts";
import { slotOf, SLOTS } from "./layout.ts";
import { ASK_MS, OPEN_MS } from "./limits.ts";
import {
  type HostPort,
  nameOf,
  oneAtATime,
  type RedisNode,
  type Shard,
  type StoreLink,
  waitForAttempts,
} from "./node.ts";
import { type Command, problemOf, type Reply, UNSENT } from "./reply.ts";

/**
 * Number of times that a command is sent again after a refusal, and the time in which this happens,
 * in milliseconds.
 */
const MAX_ROUNDS = 5;
const MAX_ROUNDS_MS = 1500;
/**
 * Pause before a node is asked again that has just refused a command, doubled each time, in
 * milliseconds.
 */
const PAUSE_MS = 10;
/**
 * Time in which a node that serves no slot stays connected, in milliseconds: a slot may be moving
 * there.
 */
const IDLE_NODE_MS = 30_000;
/** Number of keys that are tried to find one in each shard. */
const MAX_TRIED_KEYS = 1000;

export interface ClusterOptions {
  /** The nodes to ask at first, and again while a master is missing. */
  seeds: readonly [RedisAddress, ...RedisAddress[]];
  /** The health of the cluster as a whole. Nodes have their own. */
  health: StoreHealth;
  connect(address: RedisAddress, onChange: () => void): RedisNode;
  /** Called when a node is no longer connected to. */
  onGone(address: RedisAddress): void;
  /** Called for each command that a node redirects. */
  onRedirect(): void;
}

/**
 * Opens a Redis Cluster. Resolves when its nodes are known and have connected or failed to. Rejects
 * if none lists the slots.
 *
 * `createCluster` of the library is not used for two reasons. Its `connect` waits for all masters,
 * so that one shard that is down at the start would make the whole service unavailable. And after a
 * redirect it does not say which node has carried out a command, so that WAIT cannot follow on the
 * same connection: one missing replica makes whole batches unknown.
 */
export async function openCluster(options: ClusterOptions): Promise<StoreLink> {
  const cluster = new RedisCluster(options);
  const until = performance.now() + OPEN_MS;
  await waitForAttempts(cluster.nodes, until);
  await cluster.refresh();
  if (!cluster.isKnown) {
    await cluster.close();
    throw new Error("No node of the cluster lists the slots");
  }
  await waitForAttempts(cluster.masters.keys(), until);
  await cluster.refresh();
  return cluster;
}

/** A command and what is known of it so far. */
interface RoutedCommand {
  readonly command: Command;
  readonly slot: number;
  /** The node for the next attempt. Undefined if no node is known to serve the slot. */
  node: RedisNode | undefined;
  /** True if ASKING must precede the command, because its slot is being moved to the node. */
  isAsking: boolean;
  reply: Reply;
}

/**
 * Sends each command to the node that serves its slot. A refused command was not carried out. So it
 * is sent again after the slots were asked for again.
 *
 * A node is used only if the slots were asked for after its connection was ready. The node that
 * connected last is asked last: it may have been replaced while it hung, and not know it yet.
 */
class RedisCluster implements StoreLink {
  readonly multiKeyAcrossSlots = false;
  /** True if a node has ever listed the slots. */
  isKnown = false;
  /** Asks for the slots. */
  readonly refresh: () => Promise<void> = oneAtATime(() => this.#askForSlots());
  readonly #options: ClusterOptions;
  readonly #nodes = new Map<string, RedisNode>();
  /** The time by `performance.now()` when a node was last named. */
  readonly #namedAt = new Map<RedisNode, number>();
  readonly #owners: (RedisNode | undefined)[] = Array.from({ length: SLOTS });
  /** The masters, each with the first range of its slots. */
  #masters: ReadonlyMap<RedisNode, SlotRange> = new Map();

  constructor(options: ClusterOptions) {
    this.#options = options;
    for (const seed of options.seeds) this.#nodeAt(seed);
  }

  get nodes(): readonly RedisNode[] {
    return [...this.#nodes.values()];
  }

  get masters(): ReadonlyMap<RedisNode, SlotRange> {
    return this.#masters;
  }

  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const routed = commands.map((command): RoutedCommand => {
      const slot = slotOf(routingKey(command));
      const node = this.#owners[slot];
      if (node === undefined) {
        this.#options.health.unwritable(new Error(`No node serves slot ${slot}`));
      }
      return { command, slot, node, isAsking: false, reply: UNSENT };
    });
    await this.#sendRound(routed, { round: 0, until: performance.now() + MAX_ROUNDS_MS });
    return routed.map(({ reply }) => reply);
  }

  /** Leaves out a shard for which no key is found, because it gets no hits either. */
  shards(prefix: string): readonly Shard[] {
    // Without traffic, the readiness check finds slots that got a master.
    this.refresh();
    const shards = new Map<RedisNode, Shard>();
    for (let at = 0; at < MAX_TRIED_KEYS && shards.size < this.#masters.size; at++) {
      const key = `${prefix}${at}`;
      const node = this.#owners[slotOf(key)];
      const range = node && this.#masters.get(node);
      if (node === undefined || range === undefined || shards.has(node)) continue;
      shards.set(node, { name: `slots ${range.first}-${range.last}`, key, ask: node.ask });
    }
    return [...shards.values()];
  }

  /**
   * Throws at the end if slots were moved, because a key may have left a node for one that was
   * scanned before it.
   */
  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    const masters = [...this.#masters.keys()];
    const before = await slotsOfEach(masters);
    for (const node of masters) yield* node.scan(prefix);
    if (await slotsOfEach(masters) !== before) throw slotsAreMoving();
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  async #sendRound(
    commands: readonly RoutedCommand[],
    limit: { round: number; until: number },
  ): Promise<void> {
    // Each node has its own rounds, so that one that hangs does not delay the others.
    const groups = Map.groupBy(commands, ({ node }) => node);
    await Promise.all(groups.entries().map(([node, group]) => this.#sendTo(node, group, limit)));
  }

  /** Sends commands to a node, and those that it refuses in the next round. */
  async #sendTo(
    node: RedisNode | undefined,
    commands: readonly RoutedCommand[],
    { round, until }: { round: number; until: number },
  ): Promise<void> {
    const askedAt = performance.now();
    if (node !== undefined) await execute(node, commands);
    const refused = commands.filter(({ reply }) => isRetryable(reply));
    if (refused.length === 0) return;
    const targets = new Map<RoutedCommand, RedisNode>();
    const unconnected = new Set<RedisNode>();
    for (const routed of refused) {
      const redirect = node && redirectOf(routed.reply, node.address);
      if (redirect === undefined) continue;
      this.#options.onRedirect();
      const target = this.#nodeAt(redirect);
      if (target !== node) target.confirm(askedAt);
      if (!target.isUsable) {
        // It must be named again once it is connected.
        unconnected.add(target);
        continue;
      }
      if (!redirect.isAsking) this.#owners[routed.slot] = target;
      routed.isAsking = redirect.isAsking;
      targets.set(routed, target);
    }
    await Promise.all([this.refresh(), waitForAttempts(unconnected, until)]);
    if (unconnected.size > 0) await this.refresh();
    for (const routed of refused) {
      routed.node = targets.get(routed) ?? this.#owners[routed.slot];
      if (!targets.has(routed)) routed.isAsking = false;
    }
    const again = refused.filter((routed) => routed.node?.isUsable);
    if (again.some((routed) => routed.node === node)) await pause(PAUSE_MS * 2 ** round);
    if (again.length === 0 || round === MAX_ROUNDS || performance.now() > until) return;
    await this.#sendRound(again, { round: round + 1, until });
  }

  #nodeAt({ host, port }: HostPort): RedisNode {
    const { seeds: [login], connect } = this.#options;
    const name = nameOf({ host, port });
    const node = this.#nodes.get(name) ??
      connect({ ...login, host, port, database: 0 }, () => this.refresh());
    this.#nodes.set(name, node);
    this.#namedAt.set(node, performance.now());
    return node;
  }

  async #askForSlots(): Promise<void> {
    const askedAt = performance.now();
    const isWhole = this.#masters.size > 0 && this.#masters.keys().every((node) => node.isUsable);
    if (!isWhole) { for (const seed of this.#options.seeds) this.#nodeAt(seed); }
    const asked = this.nodes.filter((node) => node.connectedAt < Infinity)
      .toSorted((one, other) => one.connectedAt - other.connectedAt);
    for (const node of asked) {
      const [reply] = await withTimeout(ASK_MS, node.ask([["CLUSTER", "SLOTS"]])).catch(() => []);
      const ranges = slotRanges(reply, node.address);
      if (ranges === undefined) continue;
      this.#apply(ranges, node, askedAt);
      break;
    }
    this.#forgetIdle();
  }

  #apply(ranges: readonly SlotRange[], source: RedisNode, askedAt: number): void {
    const isAlone = !this.#nodes.values().some((node) => node !== source && node.isUsable);
    const masters = new Map<RedisNode, SlotRange>();
    this.isKnown = true;
    for (const range of ranges) {
      const node = this.#nodeAt(range.master);
      // A node that was replaced while it hung would still name itself.
      if (node !== source || isAlone) node.confirm(askedAt);
      if (!masters.has(node)) masters.set(node, range);
      this.#owners.fill(node, range.first, range.last + 1);
    }
    this.#masters = masters;
    if (!this.#owners.includes(undefined)) this.#options.health.healthy();
  }

  #forgetIdle(): void {
    const latest = performance.now() - IDLE_NODE_MS;
    for (const [name, node] of this.#nodes) {
      if (this.#masters.has(node) || (this.#namedAt.get(node) ?? 0) > latest) continue;
      this.#nodes.delete(name);
      this.#namedAt.delete(node);
      node.close();
      this.#options.onGone(node.address);
    }
  }
}

const SCRIPTS = new Set(["EVAL", "EVALSHA"]);

/** Returns the key that decides where a command is sent. All keys of a command are in one slot. */
export function routingKey([name = "", first = "", , third = ""]: Command): string {
  return SCRIPTS.has(name) ? third : first;
}

async function execute(node: RedisNode, commands: readonly RoutedCommand[]): Promise<void> {
  const sent = commands.flatMap(({ command, isAsking }) =>
    isAsking ? [["ASKING"], command] : [command]
  );
  const replies = (await node.send(sent)).values();
  for (const routed of commands) {
    if (routed.isAsking) replies.next();
    routed.reply = replies.next().value ?? UNSENT;
  }
}

/** Reports whether a node refused a command that it, or another node, may accept soon. */
function isRetryable(reply: Reply): boolean {
  if (reply.kind !== "refused") return false;
  // The last is about a key that a script looks at without having declared it.
  return reply.isUnsent === true ||
    /^(?:MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY|LOADING)\b|access a non local key/
      .test(reply.cause.message);
}

/** The node to which another one redirects a command. */
interface Redirect extends HostPort {
  /** True if only this command is meant, because its slot is being moved. */
  readonly isAsking: boolean;
}

/** Parses a redirect. Returns undefined if the reply is none. */
export function redirectOf(reply: Reply, asked: HostPort): Redirect | undefined {
  if (reply.kind !== "refused") return undefined;
  const [, kind, host, port] = /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(reply.cause.message) ?? [];
  if (kind === undefined) return undefined;
  return { isAsking: kind === "ASK", host: knownHost(host) ?? asked.host, port: Number(port) };
}

/**
 * A node that does not know its own name, or must not tell it, is at the address that was asked.
 */
function knownHost(host: unknown): string | undefined {
  return typeof host === "string" && host !== "" && host !== "?" ? host : undefined;
}

/** A range of slots and the master that serves it. */
interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly master: HostPort;
}

/** Parses the reply to `CLUSTER SLOTS`. Returns undefined if it is none. */
export function slotRanges(
  reply: Reply | undefined,
  asked: HostPort,
): readonly SlotRange[] | undefined {
  if (reply?.kind !== "done" || !Array.isArray(reply.value)) return undefined;
  return reply.value.flatMap((range: unknown) => {
    if (!Array.isArray(range) || !Array.isArray(range[2])) return [];
    const [first, last, [host, port]] = range;
    const master = { host: knownHost(host) ?? asked.host, port: Number(port) };
    return [{ first: Number(first), last: Number(last), master }];
  });
}

/** Number of the word in a line of CLUSTER NODES with the epoch, and of the first with slots. */
const EPOCH_AT = 6;
const SLOTS_AT = 8;

/**
 * Returns a text of the slots that each master serves by its own account, with its epoch, which
 * changes when it takes over a slot. Throws if a slot is being moved, or if the masters do not
 * serve all slots.
 */
async function slotsOfEach(masters: readonly RedisNode[]): Promise<string> {
  let count = 0;
  const texts = await Promise.all(masters.map(async (node) => {
    const [reply] = await node.send([["CLUSTER", "NODES"]]);
    if (reply?.kind !== "done") throw problemOf(reply, "store-unavailable");
    const own = /^\S+ \S+ (?:\S+,)?myself[, ].*$/m.exec(String(reply.value))?.[0].trim() ?? "";
    const words = own.split(" ");
    for (const range of words.slice(SLOTS_AT)) {
      const [first = NaN, last = first] = range.split("-").map(Number);
      // A slot that is being moved is in brackets, which is no number.
      count += last - first + 1;
    }
    return [words[0], words[EPOCH_AT], ...words.slice(SLOTS_AT)].join(" ");
  }));
  if (count !== SLOTS) throw slotsAreMoving();
  return texts.join("\n");
}

function slotsAreMoving(): Problem {
  const cause = new Error("Slots of the cluster are being moved, or have no master");
  return new Problem("store-unavailable", { cause });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
