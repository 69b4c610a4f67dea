import { type CounterId, counterId, parseCounterId } from "../domain/counter_id.ts";
import type { Parameter } from "../http/query.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";
import { sameText, Secret } from "./secret.ts";

/** The kinds of public keys. The key of a kind is made of its name, so that no two are equal. */
type KeyKind = "counter" | "prefix" | "read" | "link";

/** The jobs that have keys, so that they do not need the secret. */
export const JOBS = ["metrics", "backup", "import"] as const;
export type Job = (typeof JOBS)[number];

/** A key that authorized a request. */
export interface KeyGrant {
  /** The prefix of the counters that it opens. Undefined if it is the key of one counter or job. */
  readonly prefix: KeyPrefix | undefined;
  /** True if it was made with an earlier secret. */
  readonly isEarlier: boolean;
}

/** The settings that keys depend on. */
export interface KeyOptions {
  /** Earlier secrets, whose keys are still valid. None by default. */
  readonly fallbacks?: readonly string[];
  readonly keyVersions?: KeyVersions;
}

/** The text that a key is the code of, and the prefix that the key opens. */
type Lock = readonly [text: string, prefix: KeyPrefix | undefined];

/** Versions of keys by counter or prefix. The default of each is 1. */
export type KeyVersions = ReadonlyMap<string, number>;

/** Size of a key in bytes. */
const KEY_BYTES = 16;
/** Capacity of the cache of counters and their last valid keys. */
const CACHE_SIZE = 10_000;

/** Makes and checks the keys of a secret and of earlier ones. */
export class Keys {
  readonly #secrets: readonly Secret[];
  readonly #versions: KeyVersions;
  /** Keys that matched, because a hash takes 10 of the 15 µs of a request. */
  readonly #known = new BoundedMap<CounterId, KeyGrant & { readonly key: string }>(CACHE_SIZE);

  constructor(
    readonly secret: Secret,
    { fallbacks = [], keyVersions = new Map() }: KeyOptions = {},
  ) {
    this.#secrets = [secret, ...fallbacks.map((text) => new Secret(text))];
    this.#versions = keyVersions;
  }

  /**
   * Returns the key of a counter, of a group, of the numbers of a group, or of a link `to` an
   * address that counts a counter, and its version from 2 on.
   */
  make(
    kind: KeyKind,
    subject: CounterId | KeyPrefix,
    to?: URL,
  ): { key: string; version?: number } {
    const key = this.secret.codeOf(this.#textOf(kind, subject, to), KEY_BYTES);
    const version = this.#versionOf(subject);
    return version === 1 ? { key } : { key, version };
  }

  /** Returns what the key of a link opens. Returns undefined if it is not the key of this pair. */
  linkGrantOf(id: CounterId, to: URL, given: string): KeyGrant | undefined {
    return this.#find(given, [[this.#textOf("link", id, to), undefined]]);
  }

  /** Returns what a key of a counter or its groups opens. Returns undefined if it is none. */
  grantOf(id: CounterId, given: string): KeyGrant | undefined {
    const known = this.#known.get(id);
    if (known !== undefined && sameText(known.key, given)) return known;
    const counterLock: Lock = [this.#textOf("counter", id), undefined];
    const found = this.#find(given, [counterLock, ...this.#locksOf("prefix", id)]);
    if (found !== undefined) this.#known.set(id, { ...found, key: given });
    return found;
  }

  /** Returns what a read key of a counter opens. Returns undefined if it is none. */
  readGrantOf(id: CounterId, given: string): KeyGrant | undefined {
    return this.#find(given, this.#locksOf("read", id));
  }

  #locksOf(kind: KeyKind, id: CounterId): Lock[] {
    return prefixesOf(id).map((prefix) => [this.#textOf(kind, prefix), prefix]);
  }

  /** Tries earlier secrets last, because most keys are made with the current one. */
  #find(given: string, locks: readonly Lock[]): KeyGrant | undefined {
    for (const secret of this.#secrets) {
      const lock = locks.find(([text]) => sameText(secret.codeOf(text, KEY_BYTES), given));
      if (lock !== undefined) return { prefix: lock[1], isEarlier: secret !== this.secret };
    }
    return undefined;
  }

  #textOf(kind: KeyKind, subject: CounterId | KeyPrefix, to?: URL): string {
    const version = this.#versionOf(subject);
    const text = `${kind}${version === 1 ? "" : `.${version}`}:${subject}`;
    // A zero byte separates, which no id contains.
    return to === undefined ? text : `${text}\0${to.href}`;
  }

  #versionOf(subject: CounterId | KeyPrefix): number {
    return this.#versions.get(subject) ?? 1;
  }

  /** Returns the key of a job, which shows what it is for, as in `import.github/.CODE`. */
  makeForJob(job: Job, prefix?: KeyPrefix): string {
    if (prefix === undefined) return `${job}.${this.secret.codeOf(`job:${job}`, KEY_BYTES)}`;
    // Encode what a header cannot contain. Slashes are legible and allowed.
    const shown = encodeURIComponent(prefix).replaceAll("%2F", "/");
    return `${job}.${shown}.${this.secret.codeOf(`job:${job}:${prefix}`, KEY_BYTES)}`;
  }

  /** Returns what a key of the job opens. Returns undefined if it is none. */
  jobGrantOf(job: Job, given: string): KeyGrant | undefined {
    const shown = JOB_KEY.exec(given)?.[1];
    const prefix = shown === undefined ? undefined : decodedPrefix(shown);
    if ((job === "import") !== (prefix !== undefined)) return undefined;
    return sameText(this.makeForJob(job, prefix), given) ? { prefix, isEarlier: false } : undefined;
  }
}

const JOB_KEY = /^\w+\.(.+\/)\.[\w-]{22}$/;

/** Returns undefined if a text was not made by {@linkcode Keys.makeForJob}. */
function decodedPrefix(shown: string): KeyPrefix | undefined {
  try {
    return keyPrefix(decodeURIComponent(shown));
  } catch {
    return undefined;
  }
}

/** Parses a list such as `blog/=2,user/repo=3`. Throws a RangeError that names invalid entries. */
export function parseKeyVersions(text: string): KeyVersions {
  const versions = new Map<string, number>();
  const entries = text === "" ? [] : text.split(",");
  const invalid = entries.flatMap((entry, index) => {
    const [, name = "", version = ""] = /^(.*)=([1-9]\d{0,3})$/.exec(entry.trim()) ?? [];
    const id = parseCounterId(name);
    if (id === undefined || versions.has(id)) return [index + 1];
    versions.set(id, Number(version));
    return [];
  });
  if (invalid.length === 0) return versions;
  throw new RangeError(
    "must list counters or prefixes, each once with a version from 1 to 9999, such as " +
      `blog/=2,user/repo=3 (see entry ${invalid.join(", ")})`,
  );
}

declare const brand: unique symbol;

/** A prefix that has keys: normalized like an id and ending in a slash. */
export type KeyPrefix = string & { readonly [brand]: true };

/** Maximum number of prefixes whose keys are computed to check one key. */
const MAX_PREFIXES = 8;

/** Parses a prefix. Throws "bad-query" or "bad-id" if it is invalid. */
export function keyPrefix(text: string): KeyPrefix {
  if (!text.trim().endsWith("/")) {
    throw new Problem("bad-query", {
      detail: "A prefix ends in a slash, as in prefix=blog/.",
    });
  }
  const id = counterId(text);
  const prefix = prefixesOf(id).at(-1);
  if (prefix?.length === id.length) return prefix;
  throw new Problem("bad-query", {
    detail: `A prefix may have at most ${MAX_PREFIXES} slashes.`,
  });
}

/** Returns the prefixes of an id that have keys, the shortest first. */
export function prefixesOf(id: CounterId): readonly KeyPrefix[] {
  return [...id.matchAll(/\//g)].slice(0, MAX_PREFIXES)
    // The beginning of a valid id up to a slash is a prefix.
    .map(({ index }) => id.slice(0, index + 1) as KeyPrefix);
}

/** Maximum length of an address in characters. */
const MAX_ADDRESS_LENGTH = 2000;

/** Names the address of a link. */
export const to = {
  name: "to",
  meaning: "The address that the link leads to, with `http` or `https`.",
  schema: { type: "string", maxLength: MAX_ADDRESS_LENGTH },
} as const satisfies Parameter;

/** Parses the address of a link. Throws "bad-query" if it is none. */
export function parseAddress(text: string | undefined): URL {
  const url = text === undefined || text.length > MAX_ADDRESS_LENGTH ? null : URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new Problem("bad-query", {
    detail:
      `to must be an address with http or https, of at most ${MAX_ADDRESS_LENGTH} characters.`,
  });
}
