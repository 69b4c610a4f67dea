/** How many slots the keys of a Redis Cluster are spread over. */
export const SLOTS = 16384;

const encoder = new TextEncoder();
const TABLE = crc16Table();

/** The slot of a Redis Cluster that a key lies in (Redis Cluster specification, "Key distribution model" and "Hash tags"). */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of encoder.encode(hashedPart(key))) {
    crc = (crc << 8 & 0xffff) ^ (TABLE[(crc >> 8) ^ byte] ?? 0);
  }
  return crc % SLOTS;
}

/** What stands in the first braces decides alone, unless that is nothing. */
function hashedPart(key: string): string {
  const open = key.indexOf("{");
  if (open < 0) return key;
  const close = key.indexOf("}", open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** CRC-16/XMODEM, a byte at a time. */
function crc16Table(): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
    return crc & 0xffff;
  });
}
