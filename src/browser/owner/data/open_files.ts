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
const NO_TEXT =
  "it has no CSV, TSV or JSON in UTF-8 or UTF-16. Save a spreadsheet, or a text in an older encoding " +
  "such as GBK or Windows-1252, as “CSV UTF-8”.";
const DAMAGED = "it is damaged or cannot be unpacked here. Unpack it, or export it again.";

/** Opens a file. Unpacks gzip and ZIP, of which the latter may have several texts. */
export async function* openFile(file: Blob & { readonly name: string }): AsyncGenerator<Opened> {
  checkSize(file.size);
  const bytes = new Uint8Array(
    await file.arrayBuffer().catch(() => fail("it cannot be read. Choose it again.")),
  );
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  if (start !== "PK\x03\x04") {
    const isPacked = start.startsWith("\x1f\x8b");
    return yield textIn(isPacked ? await unpack(bytes, "gzip") : bytes, file.name);
  }
  const entries = entriesOf(bytes).filter(({ name }) => TABLES.test(name));
  if (entries.length === 0) fail(NO_TEXT);
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
    // The entry repeats its name, and may have other extra fields than the directory.
    const local = long(at + 42);
    const start = local + 30 + short(local + 26) + short(local + 28);
    const content = file.subarray(start, start + long(at + 20));
    entries.push({ name, isPacked: short(at + 10) > 0, content });
    at = next + short(at + 30) + short(at + 32);
  }
  return entries;
}

/** Decodes a text by its mark, or by the zero in its first letter. */
function textIn(bytes: Bytes, name: string, archive = ""): Opened {
  const start = String.fromCharCode(...bytes.subarray(0, 2));
  const encoding = /^(?:\xff\xfe|.\0)/s.test(start)
    ? "utf-16le"
    : /^(?:\xfe\xff|\0)/.test(start)
    ? "utf-16be"
    : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.slice(0, 1000).includes("\0")) {
      return { name, archive, text: text.replaceAll(/\r\n?/g, "\n") };
    }
  } catch {
    // It is no text.
  }
  return fail(NO_TEXT);
}
