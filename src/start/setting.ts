import { parseServeAs, type ServeAs } from "../peers/serve_as.ts";

/** An environment variable of the owner: all that there is to say of it, in one place. */
export interface Setting<Value> {
  readonly name: string;
  /** What it says where it is unset; empty where it says nothing then. */
  readonly default: string;
  /** What it does, as the table in .docs/settings.md says it. */
  readonly meaning: string;
  /** Whether it has an effect on Deno Deploy too. */
  readonly onDeploy: boolean;
  /** The value of a text, here or on Deno Deploy; throws a {@linkcode BadSetting} where it has none. */
  parse(text: string, deploy: boolean): Value;
}

/** Why a text is no value of a setting: what follows the setting's name, and never shows the text. */
export class BadSetting extends Error {
  override readonly name = "BadSetting";
}

/** Any text; undefined for none. */
export function anyText(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** On or off. */
export function parseFlag(text: string): boolean {
  const value = text.toLowerCase();
  if (value === "0" || value === "false") return false;
  if (value === "1" || value === "true") return true;
  throw new BadSetting("must be 1, true, 0 or false");
}

/** A port; 0 lets the system choose a free one. */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new BadSetting("must be a whole number from 0 to 65535");
}

/** A number of replicas or proxies. */
export function parseCount(text: string): number {
  if (/^\d$/.test(text)) return Number(text);
  throw new BadSetting("must be a whole number from 0 to 9");
}

/** How many of something strangers may make. */
export function parseLimit(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new BadSetting("must be a whole number from 0 to 999999999");
}

/** What strangers may count under the addresses of other counters; nothing if it is empty. */
export function parsePeers(text: string): ServeAs {
  try {
    return parseServeAs(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BadSetting(error.message);
  }
}

/** The name or address of a host. */
export function parseHost(text: string): string {
  if (/^[\w.:%-]+$/.test(text)) return text;
  throw new BadSetting("must be a host name or an IP address");
}

/** Long enough for any use, short enough to leave room for the id in a Deno KV key (2 KiB). */
const MAX_PREFIX_LENGTH = 200;

/** How the service's own keys begin, beside those of the counters: days, salts and marks on Redis and Deno KV. */
const OWN_KEYS = ["{", "tallymark"];

/** The beginning of the counters' keys. */
export function parsePrefix(text: string): string {
  if (text.length > MAX_PREFIX_LENGTH || /\p{C}/u.test(text)) {
    throw new BadSetting(`must have at most ${MAX_PREFIX_LENGTH} visible characters`);
  }
  // An id could complete a shorter text, such as `tally`.
  if (OWN_KEYS.some((own) => text.startsWith(own) || own.startsWith(text))) {
    throw new BadSetting(
      "must not begin with { or tallymark: the ledgers and salts of the service do (for one slot of a Redis Cluster, use hits:{all}:)",
    );
  }
  return text;
}

/** A time zone that the runtime knows by its IANA name. */
export function parseTimeZone(text: string): string {
  // To ask for any other takes longer than all the rest of the settings.
  if (text === "UTC") return text;
  try {
    // An offset such as +02:00 knows no summer time: it would be a mistake.
    if (/^[a-z]/i.test(text)) return timeZoneOf(text);
  } catch {
    // The error shows the text.
  }
  throw new BadSetting("must be an IANA time zone, such as UTC or Europe/Berlin");
}

/** The name as it was given: some runtimes would give an older one back. Throws where there is no such zone. */
function timeZoneOf(name: string): string {
  new Intl.DateTimeFormat("en", { timeZone: name });
  return name;
}
