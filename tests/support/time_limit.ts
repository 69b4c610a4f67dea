/** True if the full numbers were requested. They take several minutes on a quiet machine. */
export const fullNumbers: boolean = Deno.env.get("FULL_NUMBERS") === "1";

/** Milliseconds after which nothing that works is still under way, however busy the machine is. */
export const FAR_AWAY_MS = 120_000;

/**
 * Returns the time limit for something that must take `promisedMs`. Without the full numbers it is
 * far longer, because the machine is shared.
 */
export function timeLimit(promisedMs: number): number {
  return fullNumbers ? promisedMs : FAR_AWAY_MS;
}
