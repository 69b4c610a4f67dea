import { piecesOf } from "../../lib/pauses.ts";

/** A text as a file or an archive has it, in Unicode. */
export interface Opened {
  readonly name: string;
  /** The archive that it was in, or an empty text. */
  readonly archive: string;
  /** Its lines, without the marks at their ends. */
  readonly lines: readonly string[];
  /** The encoding if it is not Unicode. */
  readonly encoding?: string | undefined;
}

/** The reason why a file cannot be imported, as a sentence for its owner. */
export class Unreadable extends Error {
  /** The name of the file. */
  file = "";
}

/** Maximum size of a file, and of all texts in an archive, in bytes. They are kept in memory. */
const MAX_BYTES = 300_000_000;
/** Files of archives that may be tables. macOS adds a copy of each name that starts with `._`. */
const TABLES = /(?:^|\/)(?!\._)[^/]*\.(?:csv|tsv|txt|json|jsonl|ndjson)$/i;
const WORKBOOK = "it is a spreadsheet. Save it as “CSV UTF-8”, and choose that file.";
const NO_TEXT =
  "it is not a text but a picture, a document or a database. Choose an export as CSV, TSV or JSON.";
const NOT_UNICODE =
  "it is in an older encoding, such as Windows-1252. Save it as “CSV UTF-8” in Excel, or as UTF-8 " +
  "in an editor.";
const DAMAGED = "it is damaged. Export or download it again.";

/** Opens a file. Unpacks gzip and ZIP, of which the latter may have several texts. */
export async function* openFile(file: Blob & { readonly name: string }): AsyncGenerator<Opened> {
  checkSize(file.size);
  const unpacked = { bytes: 0 };
  const start = String.fromCharCode(...await bytesOf(file, 0, 4));
  if (start === "\xd0\xcf\x11\xe0") fail(WORKBOOK);
  if (/^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF|%PDF)/.test(start)) fail(NO_TEXT);
  if (start !== "PK\x03\x04") {
    const format = start.startsWith("\x1f\x8b") ? "gzip" : undefined;
    return yield { name: file.name, archive: "", ...await read(file, unpacked, format) };
  }
  let isEmpty = true;
  for (const { name, isPacked, blob } of await entriesOf(file)) {
    if (!TABLES.test(name)) continue;
    isEmpty = false;
    const text = await read(blob, unpacked, isPacked ? "deflate-raw" : undefined);
    yield { name, archive: file.name, ...text };
  }
  if (isEmpty) fail("it holds no CSV, TSV, JSON or text.");
}

function fail(reason: string): never {
  throw new Unreadable(reason);
}

function checkSize(bytes: number) {
  if (bytes > MAX_BYTES) {
    fail("it is larger than 300 MB. Split it, and import the parts one after another.");
  }
}

async function bytesOf(blob: Blob, from: number, to: number) {
  return new Uint8Array(await blob.slice(from, to).arrayBuffer());
}

/** Returns the entries of a ZIP, from the directory at its end. */
async function entriesOf(file: Blob) {
  // The directory ends with a record of 22 bytes and a comment of at most 64 kB.
  const tail = new DataView(
    (await bytesOf(file, Math.max(0, file.size - 66_000), file.size)).buffer,
  );
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) fail(DAMAGED);
  const count = tail.getUint16(end + 10, true);
  const offset = tail.getUint32(end + 16, true);
  if (count === 0xffff || offset === 0xffffffff) {
    fail("it is too large to be opened here. Unpack it.");
  }
  const bytes = await bytesOf(file, offset, offset + tail.getUint32(end + 12, true));
  const directory = new DataView(bytes.buffer);
  const entries = [];
  for (let at = 0; entries.length < count;) {
    if (bytes.length < at + 46) fail(DAMAGED);
    const short = (place: number) => directory.getUint16(at + place, true);
    const long = (place: number) => directory.getUint32(at + place, true);
    const next = at + 46 + short(28);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, next));
    if (/^(?:xl\/workbook\.xml|content\.xml|Index\/Document\.iwa)$/.test(name)) fail(WORKBOOK);
    if (short(8) & 1) fail("it is encrypted. Unpack it first.");
    // The entry repeats its name, and may have other extra fields than the directory.
    const [low1 = 0, high1 = 0, low2 = 0, high2 = 0] = await bytesOf(
      file,
      long(42) + 26,
      long(42) + 30,
    );
    const start = long(42) + 30 + low1 + low2 + ((high1 + high2) << 8);
    entries.push({ name, isPacked: short(10) > 0, blob: file.slice(start, start + long(20)) });
    at = next + short(30) + short(32);
  }
  return entries;
}

/** Reads the lines of a text. Adds its size to that of the texts before. */
async function read(blob: Blob, unpacked: { bytes: number }, format?: CompressionFormat) {
  const packed = blob.stream();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    const stream = format ? packed.pipeThrough(new DecompressionStream(format)) : packed;
    for await (const piece of piecesOf(stream)) {
      checkSize(unpacked.bytes += piece.length);
      pieces.push(piece);
      length += piece.length;
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    fail(format ? DAMAGED : "it cannot be read. Choose it again.");
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const known = decoded(bytes, encodingOf(bytes));
  const text = known ?? (isGbk(bytes) ? decoded(bytes, "gbk") : undefined) ?? fail(NOT_UNICODE);
  if (text.slice(0, 1000).includes("\0")) fail(NO_TEXT);
  return { lines: text.split(/\r\n?|\n/), encoding: known === undefined ? "GBK" : undefined };
}

/** Returns a text. Returns undefined if it is not in an encoding. */
function decoded(bytes: Uint8Array<ArrayBuffer>, encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reports whether most bytes beyond ASCII are in pairs, as those of Chinese characters are. */
function isGbk(bytes: Uint8Array) {
  let high = 0;
  let paired = 0;
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at] ?? 0) < 0x80) continue;
    high++;
    if ((bytes[at + 1] ?? 0) < 0x80) continue;
    [high, paired, at] = [high + 1, paired + 2, at + 1];
  }
  return paired > 0.9 * high;
}

/** Returns the encoding of a text, by its mark or by the zeros of its first ASCII characters. */
function encodingOf(bytes: Uint8Array) {
  const [first = 0, second = 0] = bytes;
  const start = bytes.subarray(0, 1000);
  const [even, odd] = [0, 1].map((place) =>
    start.filter((byte, index) => byte === 0 && index % 2 === place).length > start.length / 8
  );
  if (first === 0xff && second === 0xfe || odd && !even) return "utf-16le";
  return first === 0xfe && second === 0xff || even && !odd ? "utf-16be" : "utf-8";
}
