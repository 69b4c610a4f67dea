import { shieldsColor } from "./color.ts";
import { parseLabel } from "./look.ts";
import { type Counts, formatCounts, parseNumberForm } from "./number.ts";
import type { LookQuery } from "./parameters.ts";

/** What shields.io's endpoint badge reads (shields.io/badges/endpoint-badge). */
export interface ShieldsBadge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

/** A count, or several, as shields.io should draw them. */
export function shieldsBadge(
  query: LookQuery<"label" | "color" | "numbers" | "locale">,
  counts: Counts,
): ShieldsBadge {
  return {
    schemaVersion: 1,
    label: parseLabel(query),
    message: formatCounts(counts, parseNumberForm(query)),
    color: shieldsColor(query.get("color")),
  };
}
