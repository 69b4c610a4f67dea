/**
 * Suffixes of the files of a Deno KV on disk. SQLite's index of the log is left out, because it is
 * useless after a crash.
 */
const FILES = ["", "-wal", ".held"];

/** The files of a Deno KV as they were at some instant. */
export interface KvFiles {
  /** Puts them in the place of those that are there now. */
  restore(): void;
}

/** Takes the files of a Deno KV as a crash would leave them now, while no commit is under way. */
export function kvFilesAsLeft(path: string): KvFiles {
  const files = FILES.map((end) => ({ name: path + end, bytes: contentOf(path + end) }));
  return {
    restore() {
      remove(`${path}-shm`);
      for (const { name, bytes } of files) {
        if (bytes === undefined) remove(name);
        else Deno.writeFileSync(name, bytes);
      }
    },
  };
}

function contentOf(name: string): Uint8Array | undefined {
  return ifThere(() => Deno.readFileSync(name));
}

function remove(name: string): void {
  ifThere(() => Deno.removeSync(name));
}

function ifThere<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
