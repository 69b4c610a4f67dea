import type { Command } from "../connection/client.ts";

/** The number of slots of a Redis Cluster. */
export const SLOTS = 16384;

const encoder = new TextEncoder();
const TABLE = crc16Table();

const SCRIPTS = new Set(["EVAL", "EVALSHA"]);

/** The key that decides where a command is sent: all keys of a command are in one slot. */
export function routingKey(command: Command): string {
  const [name = "", first = "", , third = ""] = command;
  return SCRIPTS.has(name) ? third : first;
}

/** The slot of a Redis Cluster that a key is in (Redis Cluster specification, "Key distribution model" and "Hash tags"). */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of encoder.encode(hashedPart(key))) {
    crc = (crc << 8 & 0xffff) ^ (TABLE[(crc >> 8) ^ byte] ?? 0);
  }
  return crc % SLOTS;
}

/** Only the text in the first pair of braces is hashed, unless it is empty. */
function hashedPart(key: string): string {
  const open = key.indexOf("{");
  if (open < 0) return key;
  const close = key.indexOf("}", open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** For CRC-16/XMODEM, byte by byte. */
function crc16Table(): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
    return crc & 0xffff;
  });
}
