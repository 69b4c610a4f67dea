/** The services whose addresses work here, by the first part of a path below `/as/`. */
export const COMPAT_NAMES = [
  ...["komarev", "visitor-badge", "seeyoufarm", "dwyl", "hits.sh"],
  ...["profile-counter", "countapi", "busuanzi", "applause"],
] as const;
export type CompatName = (typeof COMPAT_NAMES)[number];

/** The services whose ids are in lower case, and those whose ids begin with the host of a URL. */
const FOLDED: readonly string[] = ["komarev"];
const WITH_HOST: readonly string[] = ["seeyoufarm", "busuanzi", "applause"];

/**
 * Parses the counters that anyone may hit without a key: ids, and prefixes, which end in a slash.
 * Throws a RangeError with the positions of unknown entries.
 */
export function parseServeAs(text: string): readonly string[] {
  const entries = text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "");
  const unknown = entries.flatMap((entry, index) =>
    COMPAT_NAMES.some((name) => entry.startsWith(`${name}/`)) ? [] : [index + 1]
  );
  if (unknown.length > 0) {
    throw new RangeError(
      `names an unknown service in entry ${unknown.join(", ")}: an entry begins with ` +
        `${COMPAT_NAMES.join("/, ")}/`,
    );
  }
  return entries.map(normalizeEntry);
}

/** Reports whether anyone may hit a counter. */
export function allowsPublicHits(serveAs: readonly string[], id: string): boolean {
  return serveAs.some((entry) => entry.endsWith("/") ? id.startsWith(entry) : id === entry);
}

/** Folds ASCII letters only, because `toLowerCase` turns the Kelvin sign into a `k`. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Normalizes an entry as the service normalizes its ids. */
function normalizeEntry(entry: string): string {
  const [name = "", host = ""] = entry.split("/", 2);
  const text = FOLDED.includes(name) ? asciiLowerCase(entry) : entry;
  const address = `http://${host}`;
  if (!WITH_HOST.includes(name) || !URL.canParse(address)) return text.normalize("NFC");
  const rest = text.slice(name.length + host.length + 1);
  return `${name}/${new URL(address).hostname}${rest}`.normalize("NFC");
}
