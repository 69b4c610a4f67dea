import { Problem } from "../../../problem.ts";
import type { RedisNode } from "../connection/node.ts";
import { problemOf, type Reply } from "../connection/reply.ts";
import { SLOTS_PER_PIPELINE } from "../limits.ts";
import { SLOTS } from "../layout.ts";
import type { ClusterTopology } from "./topology.ts";

/** More keys than a slot holds. */
const ALL_KEYS = String(2 ** 31 - 1);

/** Pause before the masters are asked again for their slots, in milliseconds, doubled each time up to the longest. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 320;

/** The part of a topology that a scan needs. */
interface MasterSource extends Pick<ClusterTopology, "masters"> {
  readonly poller: Pick<ClusterTopology["poller"], "refresh">;
}

/** What each master says of its own slots: what one knows of another may be out of date. */
interface SlotOwnership {
  readonly masters: readonly RedisNode[];
  /** The id and epoch of the master of each slot: one that got a slot back has another epoch. */
  readonly owners: readonly (string | undefined)[];
  /** The slots that are being moved. */
  readonly moving: ReadonlySet<number>;
}

/**
 * The keys of a cluster that begin with `prefix`, in pages: first all keys of each master, then again those in slots that
 * moved meanwhile, because a key may have left a master not yet scanned for one that had been scanned already.
 */
export async function* scanCluster(
  topology: MasterSource,
  prefix: string,
): AsyncGenerator<readonly string[]> {
  const before = await slotOwnership(topology);
  for (const node of before.masters) yield* node.scan(prefix);
  const { masters, owners, moving } = await slotOwnership(topology);
  const moved = Array.from(owners.keys()).filter((slot) => {
    return owners[slot] !== before.owners[slot] || moving.has(slot) || before.moving.has(slot);
  });
  for (let first = 0; first < moved.length; first += SLOTS_PER_PIPELINE) {
    yield* keysIn(moved.slice(first, first + SLOTS_PER_PIPELINE), { prefix, masters });
  }
}

/** Retries, because a slot may change hands at this moment, or its new master may not be connected yet. */
async function slotOwnership(topology: MasterSource): Promise<SlotOwnership> {
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs *= 2) {
    try {
      return await askMasters(topology);
    } catch (problem) {
      if (pauseMs > LONGEST_PAUSE_MS) throw problem;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/**
 * Asks every master for its own slots. A node that a slot is moved to always reports it, either as being imported or, once
 * all keys are there, as served. Throws if keys may be on a node that is not among the masters because it serves no slot yet.
 */
async function askMasters(topology: MasterSource): Promise<SlotOwnership> {
  await topology.poller.refresh();
  const masters = [...topology.masters.keys()];
  const reported = await Promise.all(masters.map(async (node) => {
    const [reply] = await node.send([["CLUSTER", "NODES"]]);
    return ownSlots(reply) ?? Promise.reject(problemOf(reply, "store-unavailable"));
  }));
  const ids = new Set(reported.map(({ id }) => id));
  const owners = Array.from<string | undefined>({ length: SLOTS });
  const moving = new Set<number>();
  for (const own of reported) {
    for (const [first, last] of own.served) owners.fill(`${own.id} ${own.epoch}`, first, last + 1);
    for (const { slot, other } of own.moving) {
      if (!ids.has(other)) throw onUnknownNode(slot);
      moving.add(slot);
    }
  }
  const lost = owners.findIndex((owner, slot) => owner === undefined && !moving.has(slot));
  if (lost !== -1) throw onUnknownNode(lost);
  return { masters, owners, moving };
}

function onUnknownNode(slot: number): Problem {
  return new Problem("store-unavailable", {
    cause: new Error(`Keys of slot ${slot} may lie with a node that serves no slots`),
  });
}

/** Asks all masters twice: a key may move from one not yet asked to one already asked, but only once. */
async function* keysIn(
  slots: readonly number[],
  { prefix, masters }: { prefix: string; masters: readonly RedisNode[] },
): AsyncGenerator<readonly string[]> {
  const commands = slots.map((slot) => ["CLUSTER", "GETKEYSINSLOT", String(slot), ALL_KEYS]);
  for (const node of [...masters, ...masters]) {
    for (const reply of await node.send(commands)) {
      if (reply.kind !== "done" || !Array.isArray(reply.value)) {
        throw problemOf(reply, "store-unavailable");
      }
      yield reply.value.map(String).filter((key) => key.startsWith(prefix));
    }
  }
}

/** What a node says of itself and its own slots. */
export interface OwnSlots {
  readonly id: string;
  /** Increased when the node takes over a slot or the place of another node. */
  readonly epoch: string;
  /** The ranges that it serves. */
  readonly served: readonly (readonly [first: number, last: number])[];
  /** The slots that it is exporting or importing, and the id of the other node. */
  readonly moving: readonly { readonly slot: number; readonly other: string }[];
}

/** Parses the line about the node itself in its reply to `CLUSTER NODES`; undefined if there is none. */
export function ownSlots(reply: Reply | undefined): OwnSlots | undefined {
  if (reply?.kind !== "done") return undefined;
  const own = String(reply.value).split("\n").find((line) => OWN_LINE.test(line));
  if (own === undefined) return undefined;
  const words = own.trim().split(" ");
  const [id = "", , , , , , epoch = ""] = words;
  const slots = words.slice(SLOTS_FROM);
  return {
    id,
    epoch,
    served: slots.filter((text) => !text.startsWith("[")).map((text) => {
      const [first = NaN, last = first] = text.split("-").map(Number);
      return [first, last];
    }),
    moving: slots.flatMap((text) => {
      const [, slot, other] = MOVING.exec(text) ?? [];
      return slot === undefined || other === undefined ? [] : [{ slot: Number(slot), other }];
    }),
  };
}

/** The flags are the third word, the epoch the seventh, slots begin at the ninth (redis.io/docs/latest/commands/cluster-nodes). */
const OWN_LINE = /^\S+ \S+ (?:\S+,)?myself[, ]/;
const SLOTS_FROM = 8;
const MOVING = /^\[(\d+)-[<>]-(\w+)\]$/;
