import { fullNumbers } from "./time_limit.ts";

/** True in `deno task test:quick`. */
export const isQuick: boolean = Deno.env.get("QUICK_TESTS") === "1";

/**
 * Returns the number of runs of a test: `all` with FULL_NUMBERS=1, a fifth of `few` in quick tests.
 */
export function times(few: number, all = few): number {
  if (fullNumbers) return all;
  return isQuick ? Math.ceil(few / 5) : few;
}
