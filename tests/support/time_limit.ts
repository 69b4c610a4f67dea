/**
 * Whether the full numbers were asked for, which take several minutes on a machine that does
 * nothing else.
 */
export const fullNumbers: boolean = Deno.env.get("FULL_NUMBERS") === "1";

/** Milliseconds after which nothing that works is still under way, however busy the machine is. */
export const FAR_AWAY_MS = 120_000;

/**
 * What a promised time is held to: to the promise with the full numbers, else far away, as the
 * machine is shared.
 */
export function timeLimit(promisedMs: number): number {
  return fullNumbers ? promisedMs : FAR_AWAY_MS;
}
