/** True if the full numbers were requested. They take several minutes on a quiet machine. */
export const fullNumbers: boolean = Deno.env.get("FULL_NUMBERS") === "1";

/** Milliseconds after which nothing that works is still under way, however busy the machine is. */
export const FAR_AWAY_MS = 120_000;

/** Returns the limit of a test for something that must take `promisedMs` on a quiet machine. */
export function timeLimit(promisedMs: number): number {
  return 5 * promisedMs + 2000;
}
