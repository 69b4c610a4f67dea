import { errorBadge } from "../badge/badge.ts";
import type { Problem } from "../problem.ts";

/** Draws a problem as a badge in the default look. */
export function drawProblem({ badge }: Problem): string {
  return errorBadge(badge);
}
