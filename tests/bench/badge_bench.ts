import { makeBadge } from "badge-maker";
import { drawBadge } from "../../src/badge/drawings.ts";
import { parseLook } from "../../src/badge/look.ts";
import { formatCount } from "../../src/drawing/number.ts";

// The rule: at most 3 µs a warm badge, and at least ten times as fast as badge-maker.

/**
 * Makes the string whole, as sending it does; pieces that were only joined look cheaper than they
 * are.
 */
function whole(svg: string): number {
  return svg.charCodeAt(svg.length - 1);
}

const STYLES = ["flat", "flat-square", "plastic", "for-the-badge"] as const;

for (const style of STYLES) {
  const query = new Map<string, string>([["style", style], ["label", "views"]]);
  const look = parseLook(query);
  let count = 10_000;

  Deno.bench({ name: `badge-maker ${style}`, group: style, baseline: true }, () => {
    whole(makeBadge({ style, label: "views", message: String(++count), color: "blue" }));
  });

  Deno.bench({ name: `drawBadge ${style}`, group: style }, () => {
    whole(drawBadge(look, formatCount(++count, look)));
  });

  Deno.bench({ name: `parseLook + drawBadge ${style}`, group: style }, () => {
    const fresh = parseLook(query);
    whole(drawBadge(fresh, formatCount(++count, fresh)));
  });
}

const CASES = [
  { name: "terminal", style: "terminal", label: "views" },
  { name: "classic, theme=auto", theme: "auto", label: "views" },
  { name: "classic, accents", label: "vues à étudier" },
  { name: "classic, Japanese", label: "アクセス数" },
  { name: "classic, grouped", numbers: "grouped", locale: "de" },
];

for (const { name, ...query } of CASES) {
  const look = parseLook(new Map(Object.entries(query)));
  let count = 10_000;
  Deno.bench(`drawBadge ${name}`, { group: "others" }, () => {
    whole(drawBadge(look, formatCount(++count, look)));
  });
  Deno.bench(`parseLook + drawBadge ${name}`, { group: "others" }, () => {
    const fresh = parseLook(new Map(Object.entries(query)));
    whole(drawBadge(fresh, formatCount(++count, fresh)));
  });
}
