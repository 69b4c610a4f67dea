import { piecesOf } from "../../lib/pauses.ts";

/** A text as a file or an archive has it, in Unicode. */
export interface Opened {
  readonly name: string;
  /** The archive that it was in, or an empty text. */
  readonly archive: string;
  /** Its lines in parts, which `\n` would join. A text of 50 MB in one would stop the page. */
  readonly parts: readonly string[];
}

/** The reason why a file cannot be imported, as a sentence for its owner. */
export class Unreadable extends Error {
  /** The name of the file. */
  file = "";
}

/** Maximum size of a file, and of all texts in an archive, in bytes. They are kept in memory. */
const MAX_BYTES = 300_000_000;
/** Minimum length of all parts but the last, in UTF-16 code units. The first one has a sample. */
const MIN_PART = 1 << 16;
/** Files of archives that may be tables. macOS adds a copy of each name that starts with `._`. */
const TABLES = /(?:^|\/)(?!\._)[^/]*\.(?:csv|tsv|txt|json|jsonl|ndjson)$/i;
const WORKBOOK = "it is a workbook. Save it as “CSV UTF-8” in Excel, and choose that file.";
const NOT_UNICODE =
  "it is not in UTF-8. Save it as “CSV UTF-8” in Excel, or with the encoding UTF-8 in an editor.";
const DAMAGED = "it is damaged. Export or download it again.";

/** Opens a file. Unpacks gzip and ZIP, of which the latter may have several texts. */
export async function* openFile(file: Blob & { readonly name: string }): AsyncGenerator<Opened> {
  checkSize(file.size);
  const unpacked = { bytes: 0 };
  const start = String.fromCharCode(...await bytesOf(file, 0, 4));
  if (start === "\xd0\xcf\x11\xe0") fail(WORKBOOK);
  if (start !== "PK\x03\x04") {
    const format = start.startsWith("\x1f\x8b") ? "gzip" : undefined;
    return yield { name: file.name, archive: "", parts: await read(file, unpacked, format) };
  }
  let isEmpty = true;
  for (const { name, isPacked, blob } of await entriesOf(file)) {
    if (!TABLES.test(name)) continue;
    isEmpty = false;
    const parts = await read(blob, unpacked, isPacked ? "deflate-raw" : undefined);
    yield { name, archive: file.name, parts };
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
    fail("it is too large to be opened here. Unpack it, and choose its files.");
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
    if (name === "xl/workbook.xml") fail(WORKBOOK);
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

/**
 * Reads a text piece by piece, so that the page can draw in between. Adds its size to that of the
 * texts before.
 */
async function read(
  blob: Blob,
  unpacked: { bytes: number },
  format?: CompressionFormat,
): Promise<string[]> {
  const packed = blob.stream();
  const stream = format ? packed.pipeThrough(new DecompressionStream(format)) : packed;
  const parts: string[] = [];
  let decoder: TextDecoder | undefined;
  /** The pieces of the next part. They are joined once. */
  let open: string[] = [];
  let length = 0;

  function take(bytes: Uint8Array<ArrayBuffer>, stream: boolean) {
    checkSize(unpacked.bytes += bytes.length);
    decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
    let text: string;
    try {
      text = decoder.decode(bytes, { stream });
    } catch {
      fail(NOT_UNICODE);
    }
    length += text.length;
    const end = stream ? text.lastIndexOf("\n") : text.length;
    if (stream && (end < 0 || length < MIN_PART)) return open.push(text);
    const lines = [...open, text.slice(0, end)].join("");
    parts.push((stream ? lines.replace(/\r$/, "") : lines).replace(/\r\n?/g, "\n"));
    open = [text.slice(end + 1)];
    length = text.length - end;
  }

  try {
    for await (const bytes of piecesOf(stream)) take(bytes, true);
    take(new Uint8Array(), false);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    fail(format ? DAMAGED : "it cannot be read. Choose it again.");
  }
  if (parts[0]?.slice(0, 1000).includes("\0")) fail(NOT_UNICODE);
  return parts;
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
