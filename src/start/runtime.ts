import { StartError } from "../start_error.ts";

/** Throws a {@linkcode StartError} where the service would not work on this version of Deno. */
export function refuseBrokenRuntime(version: string): void {
  if (version !== "2.8.0") return;
  throw new StartError(
    "Deno 2.8.0 keeps every request waiting, as its setImmediate does not wake the event loop: use Deno 2.8.1 or later",
  );
}

/** Throws a {@linkcode StartError} where this version of Deno lacks what a server of one's own needs. */
export function refuseOldRuntime(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 2 || (major === 2 && minor >= 7)) return;
  throw new StartError(
    `Deno ${version} can lock no counter file and read no .env: use Deno 2.7 or later (Deno 2.5 is enough on Deno Deploy)`,
  );
}
