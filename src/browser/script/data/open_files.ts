/** A text as a file or an archive has it, in Unicode and with `\n` between lines. */
export interface OpenedText {
  readonly name: string;
  /** The archive that it was in, or an empty text. */
  readonly archive: string;
  readonly text: string;
}

/** The reason why a file cannot be read, as a sentence for its owner. */
export class Unreadable extends Error {
  constructor(readonly file: string, message: string) {
    super(message);
  }
}

/** A file, without what only browsers have. */
export type SourceFile = Pick<File, "name" | "size" | "slice" | "stream">;

/** Maximum size of a file, and of a text in an archive, in bytes. A text has to fit into memory. */
const MAX_BYTES = 300_000_000;
const TOO_LARGE = "it is larger than 300 MB. Split it, and import the parts one after another.";
const WORKBOOK = "it is a workbook. Save it as “CSV UTF-8” in Excel, and choose that file.";
const NOT_UNICODE =
  "it is not in UTF-8. Save it as “CSV UTF-8” in Excel, or with the encoding UTF-8 in an editor.";
const DAMAGED = "it is damaged. Export or download it again.";

/** Opens a file. Unpacks gzip and ZIP, of which the latter may have several texts. */
export async function* openFile(file: SourceFile): AsyncGenerator<OpenedText> {
  const fail = (message: string): never => {
    throw new Unreadable(file.name, message);
  };
  if (file.size > MAX_BYTES) fail(TOO_LARGE);
  const start = hexOf(await bytesOf(file, 0, 4));
  if (start === "d0cf11e0") fail(WORKBOOK);
  if (start === "504b0304") {
    let count = 0;
    for (const { name, method, blob } of await entriesOf(file, fail)) {
      if (!TABLES.test(name)) continue;
      count++;
      yield { name, archive: file.name, text: await read(blob, method && "deflate-raw", fail) };
    }
    if (count === 0) fail("it holds no CSV, TSV, JSON or text.");
  } else {
    const text = await read(file, start.startsWith("1f8b") && "gzip", fail);
    yield { name: file.name, archive: "", text };
  }
}

/** Files of archives that may be tables. macOS adds a copy of each name that starts with `._`. */
const TABLES = /(?:^|\/)(?!\._)[^/]*\.(?:csv|tsv|txt|json|jsonl|ndjson)$/i;

type Fail = (message: string) => never;

async function bytesOf(blob: Pick<Blob, "slice">, from: number, to: number) {
  return new Uint8Array(await blob.slice(from, to).arrayBuffer());
}

function hexOf(bytes: Uint8Array) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the entries of a ZIP, from the directory at its end. */
async function entriesOf(file: SourceFile, fail: Fail) {
  // The directory ends with a record of 22 bytes and a comment of at most 64 kB.
  const tail = await bytesOf(file, Math.max(0, file.size - 66_000), file.size);
  const end = viewOf(tail);
  let at = tail.length - 22;
  while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) fail(DAMAGED);
  const count = end.getUint16(at + 10, true);
  const offset = end.getUint32(at + 16, true);
  if (count === 0xffff || offset === 0xffffffff) {
    fail("it is too large to be opened here. Unpack it, and choose its files.");
  }
  const bytes = await bytesOf(file, offset, offset + end.getUint32(at + 12, true));
  const directory = viewOf(bytes);
  const entries = [];
  for (let place = 0; entries.length < count;) {
    if (bytes.length < place + 46) fail(DAMAGED);
    const nameLength = directory.getUint16(place + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(place + 46, place + 46 + nameLength));
    if (name === "xl/workbook.xml") fail(WORKBOOK);
    if (directory.getUint16(place + 8, true) & 1) fail("it is encrypted. Unpack it first.");
    const size = directory.getUint32(place + 20, true);
    const header = directory.getUint32(place + 42, true);
    // The entry repeats its name, and may have other extra fields than the directory.
    const lengths = viewOf(await bytesOf(file, header + 26, header + 30));
    if (lengths.byteLength < 4) fail(DAMAGED);
    const start = header + 30 + lengths.getUint16(0, true) + lengths.getUint16(2, true);
    const method = directory.getUint16(place + 10, true);
    entries.push({ name, method, blob: file.slice(start, start + size) });
    place += 46 + nameLength + directory.getUint16(place + 30, true) +
      directory.getUint16(place + 32, true);
  }
  return entries;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array) {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Reads a text piece by piece, so that the page can draw in between. */
async function read(
  blob: Pick<Blob, "stream">,
  format: CompressionFormat | false | 0,
  fail: Fail,
): Promise<string> {
  const packed = blob.stream();
  const stream = format ? packed.pipeThrough(new DecompressionStream(format)) : packed;
  let decoder: TextDecoder | undefined;
  const decode = (bytes: Uint8Array<ArrayBuffer>, stream: boolean) => {
    decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      return fail(NOT_UNICODE);
    }
  };
  const parts: string[] = [];
  let size = 0;
  let rest = "";
  try {
    for await (const bytes of stream) {
      size += bytes.length;
      if (size > MAX_BYTES) fail(TOO_LARGE);
      const text = rest + decode(bytes, true);
      // The second half of \r\n may be in the next piece.
      rest = text.endsWith("\r") ? "\r" : "";
      parts.push(withNewlines(rest ? text.slice(0, -1) : text));
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    fail(format ? DAMAGED : "it cannot be read. Choose it again.");
  }
  parts.push(withNewlines(rest + decode(new Uint8Array(), false)));
  const text = parts.join("");
  return text.slice(0, 1000).includes("\0") ? fail(NOT_UNICODE) : text;
}

function withNewlines(text: string) {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Returns the encoding of a text, by its mark or by the zeros of its first ASCII characters. */
function encodingOf(bytes: Uint8Array) {
  const mark = hexOf(bytes.subarray(0, 2));
  if (mark === "fffe" || mark === "feff") return mark === "fffe" ? "utf-16le" : "utf-16be";
  const zeros = [0, 0];
  const start = bytes.subarray(0, 1000);
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const enough = start.length / 8;
  return odd > enough && even < odd / 4
    ? "utf-16le"
    : even > enough && odd < even / 4
    ? "utf-16be"
    : "utf-8";
}
