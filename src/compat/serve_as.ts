/**
 * The services whose addresses work here, by the first part of a path below `/as/`, and what their
 * ids are: case-sensitive, folded to lower case, or beginning with the host of a URL.
 */
const SERVICES = [
  ["komarev", "folded"],
  ["visitor-badge", "plain"],
  ["seeyoufarm", "host"],
  ["dwyl", "plain"],
  ["hits.sh", "plain"],
  ["profile-counter", "plain"],
  ["countapi", "plain"],
  ["busuanzi", "host"],
  ["applause", "host"],
] as const;

/** The name of a service. */
export type CompatName = (typeof SERVICES)[number][0];

export const COMPAT_NAMES: readonly CompatName[] = SERVICES.map(([name]) => name);
const ID_FORMS: ReadonlyMap<string, string> = new Map(SERVICES);

/** The counters that anyone may hit without a key: ids, and prefixes, which end in a slash. */
export type ServeAs = readonly string[];

/** Parses a list of ids and prefixes. Throws a RangeError with the positions of unknown entries. */
export function parseServeAs(text: string): ServeAs {
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
export function allowsPublicHits(serveAs: ServeAs, id: string): boolean {
  return serveAs.some((entry) => entry.endsWith("/") ? id.startsWith(entry) : id === entry);
}

/** Folds ASCII letters only, because `toLowerCase` turns the Kelvin sign into a `k`. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Normalizes an entry as the service normalizes its ids. */
function normalizeEntry(entry: string): string {
  const [name = "", host = ""] = entry.split("/", 2);
  const text = ID_FORMS.get(name) === "folded" ? asciiLowerCase(entry) : entry;
  const address = `http://${host}`;
  if (ID_FORMS.get(name) !== "host" || !URL.canParse(address)) return text.normalize("NFC");
  const rest = text.slice(name.length + host.length + 1);
  return `${name}/${new URL(address).hostname}${rest}`.normalize("NFC");
}
