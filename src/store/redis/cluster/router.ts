import { Problem } from "../../../problem.ts";
import type { RedisAddress } from "../../../start/store_address.ts";
import { NOOP_HEALTH, type StoreHealth } from "../../store_health.ts";
import { type Command, isWrite } from "../connection/client.ts";
import {
  connectionsAttempted,
  type RedisNode,
  type Shard,
  type StoreLink,
} from "../connection/node.ts";
import {
  isFailure,
  isTopologyStale,
  isTryAgain,
  isUnknownScript,
  redirectOf,
  type Reply,
} from "../connection/reply.ts";
import { MAX_REDIRECT_MS, MAX_REDIRECTS, OPEN_MS, REDIRECT_PAUSE_MS } from "../limits.ts";
import { slotOf } from "../layout.ts";
import { scanCluster } from "./scan.ts";
import { ClusterTopology } from "./topology.ts";

export interface ClusterOptions {
  /** The nodes to ask at first. */
  seeds: readonly RedisAddress[];
  /** Of the cluster as a whole. */
  health: StoreHealth;
  connect(address: RedisAddress, onInfo: () => void): RedisNode;
  /** Called when a node is no longer connected to. */
  onGone(address: RedisAddress): void;
  /** Called for each command that a node redirects. */
  onRedirect(): void;
}

/** Opens a Redis Cluster; resolves when its nodes are known and connected, or cannot be for now. A node that is away fails only the commands for its own slots. */
export async function openCluster(options: ClusterOptions): Promise<StoreLink> {
  const { seeds, health, connect, onGone, onRedirect } = options;
  const topology = new ClusterTopology({
    seeds,
    health,
    connect: (address) => connect(address, () => topology.poller.refreshSoon()),
    onGone,
  });
  const router = new ClusterRouter(topology, onRedirect);
  const until = performance.now() + OPEN_MS;
  await connectionsAttempted(topology.nodes, until);
  await topology.poller.refresh();
  await connectionsAttempted(topology.masters.keys(), until);
  await topology.poller.refreshAgain();
  return {
    health: NOOP_HEALTH,
    multiKeyAcrossSlots: false,
    send: (commands) => router.send(commands),
    shards: (prefix) => shardsOf(topology, prefix),
    scan: (prefix) => scanCluster(topology, prefix),
    close: () => topology.close(),
  };
}

/** How many keys are tried to find one in each shard. */
const MAX_TRIED_KEYS = 1000;

/** The masters, each with a key of its slots; one for which no key is found is left out, since it gets no hits either. */
function shardsOf(topology: ClusterTopology, prefix: string): readonly Shard[] {
  const shards = new Map<RedisNode, Shard>();
  const { masters } = topology;
  for (let tried = 0; tried < MAX_TRIED_KEYS && shards.size < masters.size; tried++) {
    const key = `${prefix}${tried}`;
    const node = topology.ownerOf(slotOf(key));
    if (node === undefined || shards.has(node)) continue;
    const range = masters.get(node);
    if (range === undefined) continue;
    shards.set(node, { name: `slots ${range.first}-${range.last}`, key, ask: node.ask });
  }
  return [...shards.values()];
}

const SCRIPTS = new Set(["EVAL", "EVALSHA"]);

/** The key that decides where a command is sent: all keys of a command are in one slot. */
export function routingKey(command: Command): string {
  const [name = "", first = "", , third = ""] = command;
  return SCRIPTS.has(name) ? third : first;
}

/** A command and what is known of it so far. */
interface RoutedCommand {
  readonly command: Command;
  /** The node for the next attempt; undefined if none is known to serve the slot. */
  node: RedisNode | undefined;
  /** Whether ASKING must precede the command, because its slot is being moved to the node. */
  asking: boolean;
  reply: Reply;
}

/** How many redirects may still be followed, and until when by `performance.now()`. */
interface RedirectBudget {
  readonly redirects: number;
  readonly until: number;
}

/** The reply of a command that was sent to no node. */
const UNSENT: Reply = {
  kind: "refused",
  cause: new Problem("store-unavailable"),
  isUnsent: true,
};

/** Sends commands to the nodes that serve their slots and follows redirects: a redirected command was refused, so sending it to the other node does not repeat it. */
export class ClusterRouter {
  readonly #topology: ClusterTopology;
  readonly #onRedirect: () => void;

  constructor(topology: ClusterTopology, onRedirect: () => void) {
    this.#topology = topology;
    this.#onRedirect = onRedirect;
  }

  /** Resolves with the replies in order; commands for one slot are sent to its node in their order. */
  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const routed = commands.map((command): RoutedCommand => {
      const slot = slotOf(routingKey(command));
      const node = this.#topology.ownerOf(slot);
      if (node === undefined) this.#topology.reportUnserved(slot);
      return { command, node, asking: false, reply: UNSENT };
    });
    const until = performance.now() + MAX_REDIRECT_MS;
    await this.#sendToNodes(routed, { redirects: MAX_REDIRECTS, until });
    return routed.map(({ reply }) => reply);
  }

  async #sendToNodes(commands: readonly RoutedCommand[], budget: RedirectBudget): Promise<void> {
    const byNode = Map.groupBy(commands, ({ node }) => node);
    // Each node follows its own redirects: one that hangs must not hold up the others.
    await Promise.all(
      byNode.entries().map(([node, group]) => this.#attempt(node, group, budget)),
    );
  }

  /** Sends commands to a node, and those that it redirects to the next one. */
  async #attempt(
    node: RedisNode | undefined,
    commands: readonly RoutedCommand[],
    { redirects, until }: RedirectBudget,
  ): Promise<void> {
    if (node === undefined) return;
    const sentAt = performance.now();
    await execute(node, commands);
    reportHealth(node, commands);
    const unconnected = new Set<RedisNode>();
    const redirected = commands.filter((routed) => {
      const target = this.#redirect(routed, node, sentAt);
      // A node that was not connected when it was named must be named again before it is used.
      if (target !== undefined && !target.usable) unconnected.add(target);
      return target !== undefined;
    });
    if (redirected.length === 0 || redirects === 0 || performance.now() > until) return;
    if (unconnected.size > 0) await connectionsAttempted(unconnected, until);
    if (redirected.some(({ node: next }) => next === node)) {
      await pause(REDIRECT_PAUSE_MS * 2 ** (MAX_REDIRECTS - redirects));
    }
    await this.#sendToNodes(redirected, { redirects: redirects - 1, until });
  }

  /** Routes a command to where its reply redirects it; undefined if the reply is final. */
  #redirect(routed: RoutedCommand, node: RedisNode, sentAt: number): RedisNode | undefined {
    const { reply } = routed;
    if (reply.kind !== "refused") return undefined;
    if (isTryAgain(reply)) return node;
    const redirect = redirectOf(reply, node.address);
    if (redirect === undefined) {
      if (reply === UNSENT || isTopologyStale(reply.cause)) this.#topology.poller.refreshSoon();
      return undefined;
    }
    this.#onRedirect();
    const target = this.#topology.nodeAt(redirect);
    if (target !== node) target.confirm(sentAt);
    this.#topology.poller.refreshSoon();
    if (!target.usable) return target;
    if (!redirect.asking) this.#topology.assign(redirect.slot, target);
    routed.node = target;
    routed.asking = redirect.asking;
    return target;
  }
}

async function execute(node: RedisNode, commands: readonly RoutedCommand[]): Promise<void> {
  const sent = commands.flatMap(({ command, asking }) =>
    asking ? [["ASKING"], command] : [command]
  );
  const replies = await node.send(sent).catch(() => undefined);
  let next = 0;
  for (const routed of commands) {
    if (routed.asking) next++;
    routed.reply = replies?.[next++] ?? UNSENT;
  }
}

/** Reports what the replies say about the node that gave them. */
function reportHealth(node: RedisNode, commands: readonly RoutedCommand[]): void {
  const { health } = node;
  const trouble = commands.find((routed) => isNodeTrouble(routed, node))?.reply;
  if (trouble?.kind === "refused") health.unwritable(trouble.cause);
  else if (trouble?.kind === "lost") health.unreachable(trouble.cause);
  else if (commands.some(({ reply, command }) => reply.kind === "done" && isWrite(command))) {
    health.healthy();
  }
}

/** Whether a command failed because of its node; one that is redirected or has a fallback is sent again. */
function isNodeTrouble({ reply }: RoutedCommand, { address }: RedisNode): boolean {
  if (reply === UNSENT || !isFailure(reply)) return false;
  if (reply.kind === "lost") return true;
  const sentAgain = isTryAgain(reply) || redirectOf(reply, address) !== undefined;
  return !sentAgain && !isUnknownScript(reply.cause);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
