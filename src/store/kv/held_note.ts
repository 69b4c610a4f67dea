/** The newest commit of a counter file that this process or one before it knows of, written down beside the file. */
export interface HeldNote extends Disposable {
  /** Its versionstamp; "" where the file has held something and no more is known, undefined where it held nothing yet. */
  readonly known: string | undefined;
  /**
   * Writes down a newer one; where that fails, as it may on a full disk, the next one is tried again. The first takes as
   * long as the disk does, and nothing may be written beside it.
   */
  write(versionstamp: string): Promise<void> | undefined;
}

/** What follows the versionstamp, for people. */
const MEANING =
  " is the last commit of the counter file beside this note. A file with less is not opened.\n";

const encoder = new TextEncoder();

/** The note beside the counter file at `path`; `held` says that something else tells that the file has held something. */
export function openHeldNote(path: string, held: boolean): HeldNote {
  const name = `${path}.held`;
  const known = read(name) ?? (held ? "" : undefined);
  let file: Deno.FsFile | undefined;

  /** On the disk before anything relies on it; later ones only have to outlive this process. */
  async function begin(versionstamp: string): Promise<void> {
    using held = new DisposableStack();
    try {
      const begun = held.use(Deno.openSync(name, { create: true, write: true }));
      begun.writeSync(encoder.encode(versionstamp + MEANING));
      await begun.sync();
      held.move();
      file = begun;
    } catch {
      // The counters are stored all the same, and whoever waits for them must be told so.
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
