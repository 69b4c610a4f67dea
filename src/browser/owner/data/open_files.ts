import { piecesOf } from "../../lib/pauses.ts";

/** A text as a file or an archive has it, in Unicode. */
export interface Opened {
  readonly name: string;
  /** The archive that it was in, or an empty text. */
  readonly archive: string;
  /** Its lines end with a newline only. */
  readonly text: string;
}

/** The reason why a file cannot be imported, as a sentence for its owner. */
export class Unreadable extends Error {}

type Bytes = Uint8Array<ArrayBuffer>;

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
const DAMAGED = "it is damaged or cannot be unpacked here. Unpack it, or export it again.";

/** Opens a file. Unpacks gzip and ZIP, of which the latter may have several texts. */
export async function* openFile(file: Blob & { readonly name: string }): AsyncGenerator<Opened> {
  checkSize(file.size);
  const bytes = new Uint8Array(
    await file.arrayBuffer().catch(() => fail("it cannot be read. Choose it again.")),
  );
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  if (start === "\xd0\xcf\x11\xe0") fail(WORKBOOK);
  if (/^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF|%PDF)/.test(start)) fail(NO_TEXT);
  if (start !== "PK\x03\x04") {
    const isPacked = start.startsWith("\x1f\x8b");
    return yield textIn(isPacked ? await unpack(bytes, "gzip") : bytes, file.name);
  }
  const entries = entriesOf(bytes).filter(({ name }) => TABLES.test(name));
  if (entries.length === 0) fail("it holds no CSV, TSV, JSON or text.");
  let size = 0;
  for (const { name, isPacked, content } of entries) {
    const text = isPacked ? await unpack(content, "deflate-raw", size) : content;
    checkSize(size += text.length);
    yield textIn(text, name, file.name);
  }
}

function fail(reason: string): never {
  throw new Unreadable(reason);
}

function checkSize(bytes: number) {
  if (bytes > MAX_BYTES) {
    fail("it is larger than 300 MB. Split it, and import the parts one after another.");
  }
}

/** Unpacks bytes. `before` is the size of the texts that were unpacked before. */
async function unpack(packed: Bytes, format: CompressionFormat, before = 0): Promise<Bytes> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream(format));
  const pieces: Bytes[] = [];
  let size = before;
  try {
    for await (const piece of piecesOf(stream)) {
      pieces.push(piece);
      if ((size += piece.length) > MAX_BYTES) break;
    }
  } catch {
    fail(DAMAGED);
  }
  checkSize(size);
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** Returns the entries of a ZIP, from the directory at its end. */
function entriesOf(file: Bytes) {
  const view = new DataView(file.buffer);
  const short = (at: number) => at + 2 > file.length ? fail(DAMAGED) : view.getUint16(at, true);
  const long = (at: number) => short(at) + short(at + 2) * 0x10000;
  // The directory ends with a record of 22 bytes and a comment of at most 64 kB.
  let end = file.length - 22;
  const first = Math.max(0, file.length - 66_000);
  while (end >= first && long(end) !== 0x06054b50) end--;
  if (end < first) fail(DAMAGED);
  const entries = [];
  let at = long(end + 16);
  for (let left = short(end + 10); left > 0; left--) {
    const next = at + 46 + short(at + 28);
    const name = new TextDecoder().decode(file.subarray(at + 46, next));
    if (/^(?:xl\/workbook\.xml|content\.xml|Index\/Document\.iwa)$/.test(name)) fail(WORKBOOK);
    // The entry repeats its name, and may have other extra fields than the directory.
    const local = long(at + 42);
    const start = local + 30 + short(local + 26) + short(local + 28);
    const content = file.subarray(start, start + long(at + 20));
    entries.push({ name, isPacked: short(at + 10) > 0, content });
    at = next + short(at + 30) + short(at + 32);
  }
  return entries;
}

/** Decodes a text. Its name tells if it is not in Unicode, because that is a guess. */
function textIn(bytes: Bytes, name: string, archive = ""): Opened {
  const unicode = decoded(bytes, encodingOf(bytes));
  const text = unicode ?? (isGbk(bytes) ? decoded(bytes, "gbk") : undefined);
  if (text?.slice(0, 1000).includes("\0") ?? bytes.subarray(0, 1000).includes(0)) fail(NO_TEXT);
  if (text === undefined) fail(NOT_UNICODE);
  return {
    name: unicode === undefined ? `${name} (GBK)` : name,
    archive,
    text: text.replaceAll(/\r\n?/g, "\n"),
  };
}

/** Returns a text. Returns undefined if it is not in an encoding. */
function decoded(bytes: Bytes, encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reports whether most bytes beyond ASCII are in pairs, as those of Chinese characters are. */
function isGbk(bytes: Bytes) {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const some = new TextDecoder("latin1").decode(bytes.subarray(first, first + 1_000_000));
  const high = some.replaceAll(/[\0-\x7f]/g, "").length;
  return some.length - some.replaceAll(/[^\0-\x7f]{2}/g, "").length > 0.9 * high;
}

/** Returns the encoding of a text, by its mark or by the zeros of its first ASCII characters. */
function encodingOf(bytes: Bytes) {
  const [first = 0, second = 0] = bytes;
  const start = bytes.subarray(0, 1000);
  const [even, odd] = [0, 1].map((place) =>
    start.filter((byte, index) => byte === 0 && index % 2 === place).length > start.length / 8
  );
  if (first === 0xff && second === 0xfe || odd && !even) return "utf-16le";
  return first === 0xfe && second === 0xff || even && !odd ? "utf-16be" : "utf-8";
}
