import { shieldsColor } from "./color.ts";
import { parseLabel } from "./look.ts";
import { formatCount, parseNumberForm } from "./number.ts";
import type { LookQuery } from "./parameters.ts";

/** What shields.io's endpoint badge reads (shields.io/badges/endpoint-badge). */
export interface ShieldsBadge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

/** A count as shields.io should draw it. */
export function shieldsBadge(
  query: LookQuery<"label" | "color" | "numbers" | "locale">,
  hits: number,
): ShieldsBadge {
  return {
    schemaVersion: 1,
    label: parseLabel(query),
    message: formatCount(hits, parseNumberForm(query)),
    color: shieldsColor(query.get("color")),
  };
}
