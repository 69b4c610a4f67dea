import { StartError } from "../../start_error.ts";

/** What to do about what SQLite or the system says; the first that fits. */
const REMEDIES: readonly (readonly [RegExp, (path: string) => string])[] = [
  [/locked|busy/i, () => "close the other program that has it open"],
  [/full|no space|disk i\/o/i, () => "make room on its disk, and see that the disk is well"],
  [
    /read-?only|permission|denied|unable to open/i,
    (path) =>
      `let the user who runs this process read and write it, the files beside it (${path}-wal, -shm, .lock and .held) and their folder`,
  ],
  [/directory/i, () => "name a file in STORE_URL whose folder can be made"],
];

/** Why a counter file that is not known to be damaged cannot be used, and what to do about it: its counts are all there. */
export function openingError(path: string, cause: unknown): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const remedy = REMEDIES.find(([pattern]) => pattern.test(reason))?.[1](path);
  return new StartError(
    `${path} cannot be opened as a counter file (${reason})${
      remedy === undefined ? "" : `: ${remedy}`
    }`,
    { cause },
  );
}
