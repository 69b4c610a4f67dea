import { slotOf } from "./cluster/key_slot.ts";

/**
 * The key of a counter's ledger: in the same slot of a Redis Cluster as the counter, as no script may touch two, and not
 * among the counters, whatever their prefix is.
 */
export function ledgerKey(key: string): string {
  if (!key.includes("}")) return `{${key}}days`;
  return `{${HASH_TAG.exec(key)?.[1] ?? numberIn(slotOf(key))}}days:${key}`;
}

/** The key of a year that is over; the scripts make it in the same way. */
export function yearKey(ledger: string, year: number): string {
  return ledger.replace("}days", `}days${year}`);
}

/** What decides the slot of a key alone: the first braces, unless nothing stands in them. */
const HASH_TAG = /^[^{]*\{([^}]+)\}/;

const numbers = new Map<number, number>();
let tried = 0;

/** A number that lies in a slot, for keys whose own text cannot stand in braces. */
function numberIn(slot: number): number {
  let number = numbers.get(slot);
  for (; number === undefined; number = numbers.get(slot)) {
    const found = slotOf(String(tried));
    if (!numbers.has(found)) numbers.set(found, tried);
    tried++;
  }
  return number;
}
