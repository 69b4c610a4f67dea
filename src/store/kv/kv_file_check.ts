import { StartError } from "../../start_error.ts";

/** Up to this many bytes (about 200,000 counters) a file is checked whole, so that a start takes at most 50 ms longer. */
const WHOLE_CHECK_LIMIT = 16 * 2 ** 20;
/** The tables of Deno KV that it reads when it opens a file; they do not grow with the counters. */
const KV_TABLES = ["migration_state", "data_version", "queue", "queue_running"];

/**
 * Throws a {@linkcode StartError} where a file is missing or empty although it has held counters, cut off, or damaged.
 *
 * Deno KV opens a missing, an empty and a cut-off file without a word, and ends the process on a damaged one.
 */
export async function refuseDamage(path: string, held: boolean): Promise<void> {
  const size = sizeOf(path);
  if (size === 0 && held) {
    throw new StartError(
      `${path} has held counters and is missing or empty: restore it from a backup, or delete ${path}.lock to begin anew`,
    );
  }
  if (size > 0 && sizeOf(`${path}-wal`) === 0 && size < expectedSize(path)) {
    throw new StartError(
      `${path} is cut off: restore it from a backup, or move it away and delete ${path}.lock to begin anew`,
    );
  }
  if (size > 0 && !await isSound(path, size)) {
    throw new StartError(
      `${path} is damaged or not a counter file: restore it from a backup, or move it away and delete ${path}.lock to begin anew`,
    );
  }
}

/** Asks SQLite (sqlite.org/pragma.html, "quick_check"), which throws where it cannot even begin. */
async function isSound(path: string, size: number): Promise<boolean> {
  const { DatabaseSync } = await import("node:sqlite");
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const tables = size <= WHOLE_CHECK_LIMIT ? [""] : KV_TABLES.map((name) => `("${name}")`);
    return tables.every((table) =>
      database.prepare(`PRAGMA quick_check${table}`).get()?.quick_check === "ok"
    );
  } catch {
    return false;
  }
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/** Bytes in the pages that the header of an SQLite file counts (sqlite.org/fileformat.html, section 1.3); 0 for other files. */
function expectedSize(path: string): number {
  using file = Deno.openSync(path, { read: true });
  const bytes = new Uint8Array(100);
  file.readSync(bytes);
  if (!new TextDecoder().decode(bytes).startsWith("SQLite format 3\0")) return 0;
  const header = new DataView(bytes.buffer);
  const pageSize = header.getUint16(16);
  return (pageSize === 1 ? 65536 : pageSize) * header.getUint32(28);
}
