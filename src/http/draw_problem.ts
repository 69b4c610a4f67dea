import { renderError } from "../badge/badge.ts";
import { parseLook } from "../badge/look.ts";
import type { Problem } from "../problem.ts";

/** Draws a problem as a badge in the default look. */
export function drawProblem({ badge }: Problem): string {
  return renderError(parseLook(new Map()), badge);
}
