/** The counters of others whose addresses the service answers, by the first part of an address below `/as/`. */
export const PEER_NAMES = [
  "komarev",
  "visitor-badge",
  "seeyoufarm",
  "dwyl",
  "hits.sh",
  "profile-counter",
  "countapi",
  "busuanzi",
] as const;

/** The name of a peer. */
export type PeerName = (typeof PEER_NAMES)[number];

/** What strangers may count under the addresses of peers, without a key: ids, and families, which end in a slash. */
export type ServeAs = readonly string[];

/** Peers that do not tell capitals from small letters. */
const CASELESS: ReadonlySet<string> = new Set<PeerName>(["komarev"]);

/** Peers whose ids begin with a host out of an address, which has one form only there. */
const BY_HOST: ReadonlySet<string> = new Set<PeerName>(["seeyoufarm", "busuanzi"]);

/** Understands a list of ids and families, separated by commas; throws a RangeError that says which it does not know, by their places. */
export function parseServeAs(text: string): ServeAs {
  const entries = text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "");
  const unknown = entries.flatMap((entry, index) =>
    PEER_NAMES.some((name) => entry.startsWith(`${name}/`)) ? [] : [index + 1]
  );
  if (unknown.length > 0) {
    throw new RangeError(
      `names an unknown service in entry ${unknown.join(", ")}: an entry begins with ` +
        `${PEER_NAMES.join("/, ")}/`,
    );
  }
  return entries.map(idOf);
}

/** Whether strangers may count this counter. */
export function opens(serveAs: ServeAs, id: string): boolean {
  return serveAs.some((entry) => entry.endsWith("/") ? id.startsWith(entry) : id === entry);
}

/** Folds ASCII letters only: `toLowerCase` also turns the Kelvin sign into a `k`, which is another name. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** As the peer writes it. */
function idOf(entry: string): string {
  const [name = "", host = ""] = entry.split("/", 2);
  const text = CASELESS.has(name) ? asciiLowerCase(entry) : entry;
  const address = `http://${host}`;
  if (!BY_HOST.has(name) || !URL.canParse(address)) return text.normalize("NFC");
  const rest = text.slice(name.length + host.length + 1);
  return `${name}/${new URL(address).hostname}${rest}`.normalize("NFC");
}
