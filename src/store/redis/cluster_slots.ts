import type { RedisAddress } from "../../start/redis_address.ts";
import { knownHost, type Reply } from "./connection/reply.ts";
import type { Command } from "./store_link.ts";

/** Where a server is. */
export type Place = Pick<RedisAddress, "host" | "port">;

/** A range of slots and the master that serves it. */
export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly master: Place;
}

/** What a node answers to `CLUSTER SLOTS`; undefined where it is no such answer. `asked` stands where a node does not tell its name. */
export function slotRanges(
  reply: Reply | undefined,
  asked: Place,
): readonly SlotRange[] | undefined {
  if (reply?.kind !== "done" || !Array.isArray(reply.value)) return undefined;
  return reply.value.map((range: unknown) => slotRange(range, asked))
    .filter((range) => range !== undefined);
}

function slotRange(range: unknown, asked: Place): SlotRange | undefined {
  if (!Array.isArray(range)) return undefined;
  const [first, last, master] = range;
  if (!Array.isArray(master)) return undefined;
  const [host, port] = master;
  const place = { host: knownHost(host) ?? asked.host, port: Number(port) };
  return { first: Number(first), last: Number(last), master: place };
}

const SCRIPTS = new Set(["EVAL", "EVALSHA"]);

/** The key that decides where a command goes: all its keys lie in one slot. */
export function keyOf(command: Command): string {
  const [name = "", first = "", , third = ""] = command;
  return SCRIPTS.has(name) ? third : first;
}

/** What a node says of itself and its own slots, which others may not know yet. */
export interface OwnSlots {
  readonly id: string;
  /** Counted up by a node that takes a slot over from another, or the place of another. */
  readonly epoch: string;
  /** Those that it serves: each range with its first and its last. */
  readonly served: readonly (readonly [first: number, last: number])[];
  /** Those that it is handing over or taking over, and the id of the other node. */
  readonly underWay: readonly { readonly slot: number; readonly other: string }[];
}

/** What the node that answers `CLUSTER NODES` says of itself; undefined where it is no such answer. */
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
    underWay: slots.flatMap((text) => {
      const [, slot, other] = UNDER_WAY.exec(text) ?? [];
      return slot === undefined || other === undefined ? [] : [{ slot: Number(slot), other }];
    }),
  };
}

/** The flags come third, the epoch seventh, slots from the ninth word on (redis.io/docs/latest/commands/cluster-nodes). */
const OWN_LINE = /^\S+ \S+ (?:\S+,)?myself[, ]/;
const SLOTS_FROM = 8;
const UNDER_WAY = /^\[(\d+)-[<>]-(\w+)\]$/;
