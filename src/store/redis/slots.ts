import type { HostPort } from "./node.ts";
import type { Command, Reply } from "./reply.ts";

/** The number of slots of a Redis Cluster. */
export const SLOTS = 16384;

/** The part of a key that decides its slot: the content of the first braces, unless empty. */
const HASH_TAG = /^[^{]*\{([^}]+)\}/;

const encoder = new TextEncoder();

/**
 * Returns the slot of a key (Redis Cluster specification, "Key distribution model" and "Hash
 * tags"). It is a CRC-16/XMODEM, whose polynomial has the bits 12, 5 and 0.
 */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of encoder.encode(HASH_TAG.exec(key)?.[1] ?? key)) {
    const top = (crc >> 8) ^ byte;
    const folded = top ^ (top >> 4);
    crc = (crc << 8 ^ folded << 12 ^ folded << 5 ^ folded) & 0xffff;
  }
  return crc % SLOTS;
}

/** The smallest number in each slot, as far as numbers were tried. */
const numbers = new Map<number, number>();
let tried = 0;

/**
 * Returns the hash tag with which other keys are in the slot of this one: its own tag, or else the
 * smallest number in its slot. The whole key cannot be a tag if it has a `}`, where a tag ends. The
 * first search takes some 20 ms.
 */
export function hashTagOf(key: string): string {
  const tag = HASH_TAG.exec(key)?.[1];
  if (tag !== undefined) return tag;
  const slot = slotOf(key);
  for (; !numbers.has(slot); tried++) {
    const found = slotOf(String(tried));
    if (!numbers.has(found)) numbers.set(found, tried);
  }
  return String(numbers.get(slot));
}

/** Returns the key that decides where a command is sent. All keys of a command are in one slot. */
export function routingKey([name = "", first = "", , third = ""]: Command): string {
  return name.startsWith("EVAL") ? third : first;
}

/** A range of slots and the master that serves it. */
export interface SlotRange extends HostPort {
  readonly first: number;
  readonly last: number;
}

/** Parses the reply of the node `asked` to `CLUSTER SLOTS`. */
export function slotRanges(list: readonly unknown[], asked: HostPort): readonly SlotRange[] {
  return list.flatMap((range) => {
    if (!Array.isArray(range) || !Array.isArray(range[2])) return [];
    const [first, last, master] = range;
    return [{ first: Number(first), last: Number(last), ...placeOf(master, asked) }];
  });
}

/**
 * Parses a redirect of the node `asked`. Returns undefined if the reply is none. `isAsking` is true
 * if only this command is meant, because its slot is being moved.
 */
export function redirectOf(
  reply: Reply,
  asked: HostPort,
): HostPort & { isAsking: boolean } | undefined {
  if (reply.kind !== "refused") return undefined;
  const [, kind, host, port] = /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(reply.cause.message) ?? [];
  if (kind === undefined) return undefined;
  return { isAsking: kind === "ASK", ...placeOf([host, port], asked) };
}

/** Returns where a node is. One that does not know its name, or must not tell it, was asked. */
function placeOf([host, port]: readonly unknown[], asked: HostPort): HostPort {
  const isUnknown = host === null || host === "" || host === "?";
  return { host: isUnknown ? asked.host : String(host), port: Number(port) };
}
