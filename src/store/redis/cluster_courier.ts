import { Problem } from "../../problem.ts";
import { keyOf } from "./cluster_slots.ts";
import type { ClusterTopology } from "./cluster_topology.ts";
import { slotOf } from "./key_slot.ts";
import { arrived, type RedisNode } from "./redis_node.ts";
import {
  isFailure,
  isForbiddenScript,
  isTopologyStale,
  isTryAgain,
  isUnknownScript,
  redirectOf,
  type Reply,
} from "./connection/reply.ts";
import { type Command, writes } from "./store_link.ts";

/** A command on its way, and what became of it as far as it is known. */
interface Errand {
  readonly command: Command;
  /** Where it goes next; undefined where nobody is known to serve its slot. */
  node: RedisNode | undefined;
  /** Whether the node takes it only when asked to, as the slot is on its way there. */
  asking: boolean;
  reply: Reply;
}

/** How often commands may still be sent on, and until when by `performance.now()`. */
interface Journey {
  readonly hops: number;
  readonly until: number;
}

const MAX_HOPS = 5;
const MAX_TRAVEL_MS = 1500;
/** Pause before a node is asked again that could not do it yet, doubled each time. */
const PAUSE_MS = 10;

/** What becomes of a command that no node takes. */
const UNSENT: Reply = { kind: "refused", cause: new Problem("store-unavailable") };

/** Brings commands to the nodes that serve their slots, and follows where those send them on: a redirect is a refusal, so to follow it is no repetition. */
export class ClusterCourier {
  readonly #topology: ClusterTopology;
  readonly #onRedirect: () => void;

  /** `onRedirect` is called for each command that a node sends on. */
  constructor(topology: ClusterTopology, onRedirect: () => void) {
    this.#topology = topology;
    this.#onRedirect = onRedirect;
  }

  /** Has commands carried out; those for one slot go to its node in their order. */
  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const errands = commands.map((command): Errand => {
      const slot = slotOf(keyOf(command));
      const node = this.#topology.ownerOf(slot);
      if (node === undefined) this.#topology.miss(slot);
      return { command, node, asking: false, reply: UNSENT };
    });
    await this.#deliver(errands, { hops: MAX_HOPS, until: performance.now() + MAX_TRAVEL_MS });
    return errands.map(({ reply }) => reply);
  }

  async #deliver(errands: readonly Errand[], journey: Journey): Promise<void> {
    const byNode = Map.groupBy(errands, ({ node }) => node);
    // A node that hangs must not hold up what another one sends on.
    await Promise.all(
      byNode.entries().map(([node, group]) => this.#visit(node, group, journey)),
    );
  }

  /** Has a node carry out what it can, and takes what it sends on to where it belongs. */
  async #visit(
    node: RedisNode | undefined,
    errands: readonly Errand[],
    { hops, until }: Journey,
  ): Promise<void> {
    if (node === undefined) return;
    const sentAt = performance.now();
    await carryOut(node, errands);
    judge(node, errands);
    const strangers = new Set<RedisNode>();
    const onward = errands.filter((errand) => {
      const target = this.#targetOf(errand, node, sentAt);
      // One that was not connected when it was named has to be named again.
      if (target !== undefined && !target.usable) strangers.add(target);
      return target !== undefined;
    });
    if (onward.length === 0 || hops === 0 || performance.now() > until) return;
    if (strangers.size > 0) await arrived(strangers, until);
    if (onward.some(({ node: next }) => next === node)) {
      await pause(PAUSE_MS * 2 ** (MAX_HOPS - hops));
    }
    await this.#deliver(onward, { hops: hops - 1, until });
  }

  /** Where an errand is sent on to, and sets it on its way; undefined where it ends here. */
  #targetOf(errand: Errand, node: RedisNode, sentAt: number): RedisNode | undefined {
    const { reply } = errand;
    if (reply.kind !== "refused") return undefined;
    if (isTryAgain(reply)) return node;
    const redirect = redirectOf(reply, node.address);
    if (redirect === undefined) {
      if (reply === UNSENT || isTopologyStale(reply.cause)) {
        this.#topology.inquiry.alarm();
      }
      return undefined;
    }
    this.#onRedirect();
    const target = this.#topology.nodeAt(redirect);
    if (target !== node) target.confirm(sentAt);
    this.#topology.inquiry.alarm();
    if (!target.usable) return target;
    if (!redirect.asking) this.#topology.move(redirect.slot, target);
    errand.node = target;
    errand.asking = redirect.asking;
    return target;
  }
}

async function carryOut(node: RedisNode, errands: readonly Errand[]): Promise<void> {
  const commands = errands.flatMap(({ command, asking }) =>
    asking ? [["ASKING"], command] : [command]
  );
  const replies = await node.send(commands).catch(() => undefined);
  let next = 0;
  for (const errand of errands) {
    if (errand.asking) next++;
    errand.reply = replies?.[next++] ?? UNSENT;
  }
}

/** What answers tell of the node that gave them. */
function judge(node: RedisNode, errands: readonly Errand[]): void {
  const { health } = node;
  const trouble = errands.find((errand) => isTrouble(errand, node))?.reply;
  if (trouble?.kind === "refused") health.unwritable(trouble.cause);
  else if (trouble?.kind === "lost") health.away(trouble.cause);
  else if (errands.some(({ reply, command }) => reply.kind === "done" && writes(command))) {
    health.well();
  }
}

/** Whether an errand failed for what its node is; where it is sent on, or has another form, it goes on. */
function isTrouble({ reply }: Errand, { address }: RedisNode): boolean {
  if (reply === UNSENT || !isFailure(reply)) return false;
  if (reply.kind === "lost") return true;
  const goesOn = isTryAgain(reply) || redirectOf(reply, address) !== undefined;
  return !goesOn && !isUnknownScript(reply.cause) && !isForbiddenScript(reply.cause);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
