/** One field of a message: its number, and a number (varint) or bytes (anything with a length). */
export type Field = { number: number; value: bigint | Uint8Array };

/**
 * Reads the fields of a protobuf message in order; only varints and length-delimited fields occur
 * here.
 */
export function readFields(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = readVarint(bytes, at);
    const number = Number(tag.value >> 3n);
    const wireType = Number(tag.value & 7n);
    const value = readVarint(bytes, tag.next);
    if (wireType === 0) {
      fields.push({ number, value: value.value });
      at = value.next;
    } else if (wireType === 2) {
      at = value.next + Number(value.value);
      if (at > bytes.length) throw new Error(`Read protobuf field ${number}: it is cut short`);
      fields.push({ number, value: bytes.subarray(value.next, at) });
    } else {
      throw new Error(`Read protobuf field ${number}: unknown wire type ${wireType}`);
    }
  }
  return fields;
}

/** The bytes of every field of this number. */
export function bytesOf(fields: Field[], number: number): Uint8Array[] {
  return fields.filter((field) => field.number === number).map(({ value }) => {
    if (typeof value === "bigint") throw new Error(`Read protobuf field ${number}: it is a number`);
    return value;
  });
}

/** The last bytes of this number, or none, as proto3 has it. */
export function bytesField(fields: Field[], number: number): Uint8Array {
  return bytesOf(fields, number).at(-1) ?? new Uint8Array();
}

/** The last number of this field, or 0, as proto3 has it. */
export function numberField(fields: Field[], number: number): number {
  const value = fields.findLast((field) => field.number === number)?.value ?? 0n;
  if (typeof value !== "bigint") throw new Error(`Read protobuf field ${number}: it holds bytes`);
  return Number(value);
}

/** Writes a message; a value of type boolean or number becomes a varint. */
export function writeFields(
  fields: [number: number, value: Uint8Array | number | boolean][],
): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const [number, value] of fields) {
    if (value instanceof Uint8Array) {
      writeVarint(bytes, number << 3 | 2);
      writeVarint(bytes, value.length);
      for (const byte of value) bytes.push(byte);
    } else {
      writeVarint(bytes, number << 3);
      writeVarint(bytes, Number(value));
    }
  }
  return Uint8Array.from(bytes);
}

function readVarint(bytes: Uint8Array, start: number): { value: bigint; next: number } {
  let value = 0n;
  for (let at = start, shift = 0n; at < bytes.length; at++, shift += 7n) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, next: at + 1 };
  }
  throw new Error("Read a protobuf number: it is cut short");
}

function writeVarint(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push(rest % 0x80 | 0x80);
  bytes.push(rest);
}
