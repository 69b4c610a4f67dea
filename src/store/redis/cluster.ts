import { Failure } from "../../domain/errors.ts";
import { pause } from "../../waiting.ts";
import {
  askForList,
  connectServers,
  type HostPort,
  type LinkOptions,
  nameOf,
  oneAtATime,
  RedisNode,
  type StoreLink,
  waitForAttempts,
} from "./node.ts";
import { type Command, failureOf, isRefused, type Reply, UNSENT } from "./reply.ts";
import { redirectOf, routingKey, slotOf, type SlotRange, slotRanges, SLOTS } from "./slots.ts";

/** Time in which a refused command is sent again, in milliseconds. */
const RETRY_MS = 1500;
/**
 * Pause before a node gets a refused command again, in milliseconds. A counter with keys on two
 * nodes is refused until its slot has moved.
 */
const PAUSE_MS = 20;
/** Time for which an unnamed node stays connected, in milliseconds. A slot may be moving there. */
const IDLE_NODE_MS = 30_000;
/** Number of keys that are tried to find one in each shard. */
const TRIED_KEYS = 1000;

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
 * Opens a Redis Cluster. Resolves when its nodes are known and have connected or failed to. Rejects
 * if none lists a slot.
 *
 * Each command is sent to the node that serves its slot. A refused command was not carried out. So
 * it is sent again, to the node that the refusal names or after the slots were asked for again.
 *
 * `createCluster` of the library is not used for two reasons. With `minimizeConnections` it opens
 * although a shard is down, but a minute after a master was killed it had not recovered. And after
 * a redirect it does not say which node has carried out a command, so that WAIT cannot follow on
 * the same connection. One missing replica then makes whole batches unknown.
 */
export async function openCluster(
  { setting: { addresses }, replicas, health, healthOf, metrics }: LinkOptions,
): Promise<StoreLink> {
  const nodes = new Map<string, RedisNode>();
  const owners: (RedisNode | undefined)[] = Array.from({ length: SLOTS });
  /** The masters, each with the first range of its slots. */
  let masters: ReadonlyMap<RedisNode, SlotRange> = new Map();
  /** True if the health reports that a slot has no node. */
  let lacksSlot = false;
  const refresh = oneAtATime(askForSlots);

  async function send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const routed = commands.map((command): RoutedCommand => {
      const slot = slotOf(routingKey(command));
      const node = owners[slot];
      if (node === undefined) {
        lacksSlot = true;
        health.unwritable(new Error(`No node serves slot ${slot}`));
      }
      return { command, slot, node, isAsking: false, reply: UNSENT };
    });
    const until = performance.now() + RETRY_MS;
    for (let pending: readonly RoutedCommand[] = routed;;) {
      // 1. Each node gets its commands.
      const askedAt = performance.now();
      const groups = Map.groupBy(pending, ({ node }) => node);
      await Promise.all(groups.entries().map(([node, group]) => node && execute(node, group)));
      // 2. A refused command follows its redirect, or else the slots as they are now.
      const refused = pending.filter(({ reply }) => isRetryable(reply));
      if (refused.length === 0) break;
      const refusing = refused.map(({ node }) => node);
      for (const one of refused) follow(one, one.node, askedAt);
      await waitForAttempts(new Set(refused.flatMap(({ node }) => node ?? [])), until);
      await refresh();
      for (const one of refused.filter(({ node }) => !node?.isUsable)) {
        one.node = owners[one.slot];
        one.isAsking = false;
      }
      // 3. It is sent again, as long as there is a node and time.
      pending = refused.filter(({ node }) => node?.isUsable);
      if (pending.length === 0 || performance.now() > until) break;
      if (refused.some(({ node }, at) => node?.isUsable && node === refusing[at])) {
        await pause(PAUSE_MS);
      }
    }
    return routed.map(({ reply }) => reply);
  }

  /** Leads a command that `node` refused to the node to which it was redirected, or to none. */
  function follow(routed: RoutedCommand, node: RedisNode | undefined, askedAt: number): void {
    const redirect = node && redirectOf(routed.reply, node.address);
    routed.isAsking = redirect?.isAsking ?? false;
    routed.node = redirect && nodeAt(redirect);
    if (routed.node !== node) routed.node?.confirm(askedAt);
  }

  function nodeAt({ host, port }: HostPort): RedisNode {
    const name = nameOf({ host, port });
    let node = nodes.get(name);
    if (node === undefined) {
      const address = { ...addresses[0], host, port, database: 0 };
      node = new RedisNode({ address, replicas, health: healthOf(name), onChange: refresh });
      nodes.set(name, node);
    }
    node.namedAt = performance.now();
    return node;
  }

  async function askForSlots(): Promise<void> {
    const askedAt = performance.now();
    // The node that connected last may have been replaced while it hung, and may not know it yet.
    const asked = [...nodes.values()].filter((node) => node.connectedAt < Infinity)
      .sort((one, other) => one.connectedAt - other.connectedAt);
    for (const node of asked) {
      const list = await askForList(node.ask, ["CLUSTER", "SLOTS"]) ?? [];
      if (list.length > 0) return apply(slotRanges(list, node.address), node, askedAt);
    }
    // All nodes may have got other addresses, to which the names lead.
    addresses.forEach(nodeAt);
  }

  function apply(ranges: readonly SlotRange[], source: RedisNode, askedAt: number): void {
    const isAlone = !nodes.values().some((node) => node !== source && node.isUsable);
    const named = new Map<RedisNode, SlotRange>();
    for (const range of ranges) {
      const node = nodeAt(range);
      if (node !== source || isAlone) node.confirm(askedAt);
      if (!named.has(node)) named.set(node, range);
      owners.fill(node, range.first, range.last + 1);
    }
    masters = named;
    if (lacksSlot && !owners.includes(undefined)) {
      lacksSlot = false;
      health.healthy();
    }
    for (const [name, node] of nodes) {
      if (node.namedAt > askedAt - IDLE_NODE_MS) continue;
      nodes.delete(name);
      node.close();
      metrics.nodes.delete(name);
    }
  }

  async function close(): Promise<void> {
    await Promise.all(nodes.values().map((node) => node.close()));
  }

  addresses.forEach(nodeAt);
  await connectServers([...nodes.values()], refresh, () => masters.keys());
  if (masters.size === 0) {
    await close();
    throw new Error("No node of the cluster serves a slot");
  }
  return {
    multiKeyAcrossSlots: false,
    get connectedAt() {
      return [...masters.keys()].map((node) => node.connectedAt)
        .reduce((last, time) => time < Infinity ? Math.max(last, time) : last, 0);
    },
    send,
    /** Leaves out a shard for which no key is found, because it gets no hits either. */
    shards(prefix) {
      // Without traffic, the readiness check finds slots that got a master.
      refresh();
      const keys = Array.from({ length: TRIED_KEYS }, (_, number) => `${prefix}${number}`);
      return [...masters].flatMap(([node, { first, last }]) => {
        const key = keys.find((key) => owners[slotOf(key)] === node);
        return key === undefined ? [] : { name: `slots ${first}-${last}`, key, ask: node.ask };
      });
    },
    /** Throws at the end if slots were moved, because a key may have gone to a scanned node. */
    async *scan(prefix) {
      const scanned = [...masters.keys()];
      const before = await settledSlots(scanned);
      for (const node of scanned) yield* node.scan(prefix);
      await settledSlots(scanned, before);
    },
    close,
  };
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
  return reply === UNSENT || isRefused(reply, "retryable");
}

/** The epoch and the slots of the node that was asked for `CLUSTER NODES`. */
const OWN_SLOTS = /^\S+ \S+ \S*myself\S* \S+ \S+ \S+ (\d+ \S+(.*))$/m;

/**
 * Returns a text of the slots that each master serves by its own account, with its epoch, which
 * changes when it takes over a slot. Throws if a slot is being moved, if the masters do not serve
 * all slots, or if the text is not the one from before.
 */
async function settledSlots(masters: readonly RedisNode[], before?: string): Promise<string> {
  let count = 0;
  const texts = await Promise.all(masters.map(async (node) => {
    const [reply] = await node.send([["CLUSTER", "NODES"]]);
    if (reply?.kind !== "done") throw failureOf(reply, "store-unavailable");
    const [, text, ranges = ""] = OWN_SLOTS.exec(String(reply.value)) ?? [];
    for (const [, first, last = first] of ranges.matchAll(/ (\d+)-?(\d+)?/g)) {
      count += Number(last) - Number(first) + 1;
    }
    return text;
  }));
  const all = texts.join("\n");
  // A slot that is being moved is in brackets.
  if (count === SLOTS && !all.includes("[") && all === (before ?? all)) return all;
  const cause = new Error("Slots of the cluster are being moved, or have no master");
  throw new Failure("store-unavailable", { cause });
}
