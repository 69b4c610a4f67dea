import { StartError } from "../start_error.ts";

/** Throws a {@linkcode StartError} where the service would not work on this version of Deno. */
export function refuseBrokenRuntime(version: string): void {
  if (version !== "2.8.0") return;
  throw new StartError(
    "Deno 2.8.0 keeps every request waiting, as its setImmediate does not wake the event loop: use Deno 2.8.1 or later",
  );
}
