/**
 * Turns a reader's list of font families into a safe `font-family` value: names quoted, generic
 * families bare, the style's own families behind them. What is not understood gives those alone.
 */
export function fontFamily(text: string | undefined, fallback: string): string {
  if (text === undefined || text.length > LONGEST) return fallback;
  const names = text.split(",").map((name) => name.trim());
  if (!names.every((name) => NAME.test(name))) return fallback;
  return `${names.map(quoted).join(",")},${fallback}`;
}

function quoted(name: string): string {
  const generic = name.toLowerCase();
  return GENERIC.has(generic) ? generic : `'${name}'`;
}

const LONGEST = 100;
const NAME = /^[\p{L}\p{M}\p{Nd} -]+$/u;

// The generic families of CSS Fonts Module Level 4.
const GENERIC: ReadonlySet<string> = new Set([
  "serif",
  "sans-serif",
  "monospace",
  "cursive",
  "fantasy",
  "system-ui",
  "ui-serif",
  "ui-sans-serif",
  "ui-monospace",
  "ui-rounded",
  "math",
  "fangsong",
]);
