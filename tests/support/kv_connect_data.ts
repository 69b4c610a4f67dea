import { Buffer } from "node:buffer";

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

// Message and field numbers: `datapath.proto` of the KV Connect protocol (denoland/denokv).
const mutationSet = 1;
const mutationDelete = 2;
const writeSucceeded = 1;
const writeCheckFailed = 2;
const readSucceeded = 1;

/**
 * Limits of a self-hosted Deno KV (denoland/denokv, `proto/limits.rs` of version 0.8). Sizes are in
 * bytes.
 */
const MOST = {
  checks: 10,
  mutations: 1000,
  payload: 819_200,
  ranges: 10,
  entries: 1000,
  writtenKey: 2048,
  readKey: 2049,
  value: 65_536,
};

/** A message with more of something than the server takes, which it answers with 400. */
export class TooMuch extends Error {
  override readonly name = "TooMuch";
}

type Entry = { value: Uint8Array; encoding: number; versionstamp: Buffer; expiresAt: number };

/** The data of a remote Deno KV in memory, spoken to in messages of the KV Connect protocol. */
export class KvConnectData {
  /** Keys are in hexadecimal, which sorts like the bytes. */
  #entries = new Map<string, Entry>();
  #commits = 0n;
  readonly #checks: number;

  /** `checks` is how many checks a commit may have: 10 as self-hosted, 100 as on Deno Deploy. */
  constructor(checks = MOST.checks) {
    this.#checks = checks;
  }

  /** Commits that were applied so far. */
  get commits(): number {
    return Number(this.#commits);
  }

  /** Answers a `SnapshotRead` with a `SnapshotReadOutput`. */
  read(message: Uint8Array): Uint8Array<ArrayBuffer> {
    const asked = bytesOf(readFields(message), 1).map(readFields);
    refuseOver("ranges", asked.length);
    refuseOver("entries", sum(asked.map((range) => numberField(range, 3))));
    for (const range of asked) {
      for (const key of [1, 2]) refuseOver("readKey", bytesField(range, key).length);
    }
    const ranges = asked.map((range) => this.#readRange(range));
    return writeFields([
      ...ranges.map((range): [number, Uint8Array] => [1, range]),
      [4, true],
      [8, readSucceeded],
    ]);
  }

  /** Answers an `AtomicWrite` with an `AtomicWriteOutput`: all of it is applied, or nothing. */
  write(message: Uint8Array): Uint8Array<ArrayBuffer> {
    const fields = readFields(message);
    const checks = bytesOf(fields, 1).map(readFields);
    const mutations = bytesOf(fields, 2).map(readFields);
    this.#refuseTooLarge(checks, mutations);
    const failed = checks.flatMap((check, index) => this.#holds(check) ? [] : [index]);
    if (failed.length > 0) {
      return writeFields([
        [1, writeCheckFailed],
        ...failed.map((index): [number, number] => [4, index]),
      ]);
    }
    for (const mutation of mutations) {
      const type = numberField(mutation, 3);
      if (type !== mutationSet && type !== mutationDelete) {
        throw new Error(`Write atomically: mutation type ${type} is not known here`);
      }
    }
    const versionstamp = this.#nextVersionstamp();
    for (const mutation of mutations) {
      const key = hex(bytesField(mutation, 1));
      this.#entries.delete(key);
      if (numberField(mutation, 3) === mutationDelete) continue;
      const value = readFields(bytesField(mutation, 2));
      this.#entries.set(key, {
        value: bytesField(value, 1).slice(),
        encoding: numberField(value, 2),
        versionstamp,
        expiresAt: numberField(mutation, 4) || Infinity,
      });
    }
    return writeFields([[1, writeSucceeded], [2, versionstamp]]);
  }

  #refuseTooLarge(checks: readonly Field[][], mutations: readonly Field[][]): void {
    refuseOver("checks", checks.length, this.#checks);
    refuseOver("mutations", mutations.length);
    const checked = checks.map((check) => bytesField(check, 1).length);
    const keys = mutations.map((mutation) => bytesField(mutation, 1).length);
    const values = mutations.map((mutation) => {
      return bytesField(readFields(bytesField(mutation, 2)), 1).length;
    });
    for (const length of checked) refuseOver("readKey", length);
    for (const length of keys) refuseOver("writtenKey", length);
    for (const length of values) refuseOver("value", length);
    refuseOver("payload", sum(checked) + sum(keys) + sum(values));
  }

  #readRange(fields: Field[]): Uint8Array {
    const limit = numberField(fields, 3);
    const keys = this.#keysBetween(hex(bytesField(fields, 1)), hex(bytesField(fields, 2)));
    if (numberField(fields, 4) === 1) keys.reverse();
    return writeFields(
      keys.slice(0, limit).flatMap((key): [number, Uint8Array][] => {
        const entry = this.#entries.get(key);
        return entry === undefined ? [] : [[1, encodeEntry(key, entry)]];
      }),
    );
  }

  #keysBetween(start: string, end: string): string[] {
    // One key is asked for as the range up to the next possible key.
    const candidates = end === `${start}00` ? [start] : [...this.#entries.keys()];
    return candidates.filter((key) => key >= start && key < end && this.#isLive(key)).sort();
  }

  #isLive(key: string): boolean {
    return (this.#entries.get(key)?.expiresAt ?? 0) > Date.now();
  }

  #holds(fields: Field[]): boolean {
    const key = hex(bytesField(fields, 1));
    const found = this.#isLive(key) ? this.#entries.get(key)?.versionstamp : undefined;
    return hex(bytesField(fields, 2)) === hex(found ?? new Uint8Array());
  }

  #nextVersionstamp(): Buffer {
    const versionstamp = Buffer.alloc(10);
    versionstamp.writeBigUInt64BE(++this.#commits);
    return versionstamp;
  }
}

function encodeEntry(key: string, entry: Entry): Uint8Array {
  return writeFields([
    [1, Buffer.from(key, "hex")],
    [2, entry.value],
    [3, entry.encoding],
    [4, entry.versionstamp],
  ]);
}

function refuseOver(what: keyof typeof MOST, found: number, most = MOST[what]): void {
  if (found > most) throw new TooMuch(`${what}: ${found} where ${most} are taken`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
