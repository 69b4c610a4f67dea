import { dayFormat } from "../../src/browser/owner/data/cell_text.ts";
import { count, type CountOptions } from "../../src/browser/owner/data/count_rows.ts";
import { openFile } from "../../src/browser/owner/data/open_files.ts";
import { partsOf } from "../../src/browser/owner/data/requests.ts";
import { isChosen, NO_DAY } from "../../src/browser/owner/data/sources.ts";
import { type Table, tablesOf } from "../../src/browser/owner/data/tables.ts";

/** The names and contents of files. */
export type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer> | Blob>>;

/** Reads the tables of files, as the Data view does. */
export async function tablesIn(files: Files): Promise<Table[]> {
  const tables: Table[] = [];
  for (const [name, content] of Object.entries(files)) {
    for await (const opened of openFile(new File([content], name))) {
      tables.push(...tablesOf(opened));
    }
  }
  return tables;
}

export interface ImportOptions extends Partial<CountOptions> {
  readonly timeZone?: string;
  /** The names of the columns that the owner chooses. */
  readonly choice?: { page: string; number: string; day?: string };
}

/** Returns the lines of an import of files, and the rows that it leaves out. */
export async function importOf(
  files: Files,
  { choice, timeZone = "UTC", ...options }: ImportOptions = {},
) {
  const tables = (await tablesIn(files)).map((table) => {
    if (!choice) return table;
    const indexOf = (name: string) => table.heads.indexOf(name);
    const day = choice.day === undefined ? NO_DAY : indexOf(choice.day);
    const chosen = { page: indexOf(choice.page), number: indexOf(choice.number), day };
    return { ...table, columns: { ...table.columns, ...chosen } };
  });
  const isKnown = tables.some(({ source }) => source);
  const counted = tables.filter(({ columns, source }) => isChosen(columns) && (!isKnown || source));
  const dayAt = dayFormat(timeZone);
  const all = { prefix: "", query: "", dayAt, lastDay: "2026-11-28", ...options };
  const outcome = await count(counted, all);
  const text = [...partsOf(outcome.entries)].map(({ body }) => body).join("\n");
  const leftOut = Object.fromEntries(
    [...outcome.leftOut].map(([reason, { rows, row }]) => [reason, { rows, row }]),
  );
  return { lines: text.split("\n"), leftOut, outcome, tables };
}

/** Makes a ZIP of files, as most programs do it. A blob is packed already. */
export async function zip(files: Files): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = content instanceof Blob
      ? await content.bytes()
      : await packedWith("deflate-raw", content);
    const bytes = new TextEncoder().encode(name);
    const header = record(0x02014b50, 46, [[10, 8], [20, packed.length, 4], [28, bytes.length]]);
    new DataView(header.buffer).setUint32(42, offset, true);
    directory.push(header, bytes);
    const local = record(0x04034b50, 30, [[8, 8], [18, packed.length, 4], [26, bytes.length]]);
    parts.push(local, bytes, packed);
    offset += local.length + bytes.length + packed.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = directory.length / 2;
  const end = record(0x06054b50, 22, [[8, count], [10, count], [12, size, 4], [16, offset, 4]]);
  return new Uint8Array(await new Blob([...parts, ...directory, end]).arrayBuffer());
}

/** Packs a text or bytes. */
export async function packedWith(
  format: CompressionFormat,
  content: string | Uint8Array<ArrayBuffer>,
) {
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function record(mark: number, size: number, fields: [at: number, value: number, bytes?: number][]) {
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(0, mark, true);
  for (const [at, value, bytes] of fields) {
    if (bytes === 4) view.setUint32(at, value, true);
    else view.setUint16(at, value, true);
  }
  return new Uint8Array(view.buffer);
}

/** Encodes a text in UTF-16, with or without a mark. */
export function utf16(
  text: string,
  { mark = true, isLittle = true } = {},
): Uint8Array<ArrayBuffer> {
  const units = mark ? `\ufeff${text}` : text;
  const view = new DataView(new ArrayBuffer(units.length * 2));
  for (let index = 0; index < units.length; index++) {
    view.setUint16(index * 2, units.charCodeAt(index), isLittle);
  }
  return new Uint8Array(view.buffer);
}
