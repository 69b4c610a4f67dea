/**
 * The versionstamp of the last commit to a counter file, kept in a file beside it: a counter file that holds less than this
 * has lost counts.
 */
export interface HighWaterMark extends Disposable {
  /** The mark when it was opened: "" if all that is known is that there was a commit, undefined if there was none. */
  readonly known: string | undefined;
  /**
   * Moves the mark. Never fails: a mark that could not be written, as on a full disk, is written with the next commit. The
   * first call waits for the disk; no other may be made until then.
   */
  write(versionstamp: string): Promise<void> | undefined;
}

/** What follows the versionstamp in the file, for people. */
const MEANING =
  " is the last commit of the counter file beside this note. A file with less is not opened.\n";

const encoder = new TextEncoder();

/** Opens the mark of the counter file at `path`; `held` says that something else tells of a commit. */
export function openHighWaterMark(path: string, held: boolean): HighWaterMark {
  const name = `${path}.held`;
  const known = read(name) ?? (held ? "" : undefined);
  let file: Deno.FsFile | undefined;

  /** Waits for the disk, so that a power cut leaves a mark; later ones only have to outlive this process. */
  async function begin(versionstamp: string): Promise<void> {
    using opened = new DisposableStack();
    try {
      const begun = opened.use(Deno.openSync(name, { create: true, write: true }));
      begun.writeSync(encoder.encode(versionstamp + MEANING));
      await begun.sync();
      opened.move();
      file = begun;
    } catch {
      // The counts are stored, and their callers must be told so.
    }
  }

  return {
    known,
    write(versionstamp) {
      if (file === undefined) return begin(versionstamp);
      try {
        file.seekSync(0, Deno.SeekMode.Start);
        file.writeSync(encoder.encode(versionstamp));
      } catch {
        // As above.
      }
    },
    [Symbol.dispose]: () => file?.close(),
  };
}

function read(name: string): string | undefined {
  try {
    using file = Deno.openSync(name, { read: true });
    const bytes = new Uint8Array(MEANING.length + 20);
    const text = new TextDecoder().decode(bytes.subarray(0, file.readSync(bytes) ?? 0));
    return text === "" ? undefined : /^[0-9a-f]{20}\b/.exec(text)?.[0] ?? "";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
