import { Problem } from "../../problem.ts";
import { Recent } from "../../recent.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import { MAX_HITS, type Outcome } from "../../counter/store.ts";

/** A counter as Deno KV holds it. */
export interface Entry {
  readonly outcome: Outcome;
  /** Changes with every write; null where nothing is held. */
  readonly versionstamp: string | null;
}

/** How many keys one `getMany` may have (docs.deno.com, "Key-value store limits"). */
const KEYS_PER_READ = 10;
/** How many entries an only writer keeps for sure. */
const KEPT = 10_000;
const ABSENT: Entry = { outcome: 0, versionstamp: null };

/** Options of {@linkcode KvEntries}. */
export interface KvEntriesOptions {
  kv: Deno.Kv;
  /** The first part of every key. */
  prefix: string;
  /** Whether others may write too, so that nothing read may be kept. */
  shared: boolean;
}

/** The counters in a Deno KV. What an only writer wrote or read last is what the database holds: it is kept. */
export class KvEntries {
  readonly #options: KvEntriesOptions;
  readonly #kept: Recent<CounterId, Entry>;
  #commits = 0;
  #committing = false;

  constructor(options: KvEntriesOptions) {
    this.#options = options;
    this.#kept = new Recent(KEPT);
  }

  /** The entry where it is kept; undefined where the database has to be asked. */
  get(id: CounterId): Entry | undefined {
    return this.#kept.get(id);
  }

  /** The entries where all are kept. */
  kept(ids: readonly CounterId[]): Entry[] | undefined {
    const entries: Entry[] = [];
    for (const id of ids) {
      const entry = this.get(id);
      if (entry === undefined) return undefined;
      entries.push(entry);
    }
    return entries;
  }

  /** Asks the database, in the order of the ids. */
  async read(ids: readonly CounterId[]): Promise<Entry[]> {
    const { kv, prefix } = this.#options;
    const commits = this.#committing ? undefined : this.#commits;
    const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
    for (let start = 0; start < ids.length; start += KEYS_PER_READ) {
      const keys = ids.slice(start, start + KEYS_PER_READ).map((id) => [prefix, id]);
      reads.push(kv.getMany<unknown[]>(keys));
    }
    const entries = (await Promise.all(reads)).flat().map(entryOf);
    // What was read while a commit was under way may be what was there before it.
    if (commits === this.#commits) this.keep(ids, entries);
    return entries;
  }

  /** Carries out a commit. */
  async commit(operation: Deno.AtomicOperation): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    this.#commits++;
    this.#committing = true;
    try {
      return await operation.commit();
    } finally {
      this.#committing = false;
    }
  }

  /** Keeps counters; not those that nobody ever hit, which would push out those that count. */
  keep(ids: readonly CounterId[], entries: readonly Entry[]): void {
    if (this.#options.shared) return;
    ids.forEach((id, index) => {
      const entry = entries[index];
      if (entry?.versionstamp && typeof entry.outcome === "number") this.#kept.set(id, entry);
    });
  }

  /** Keeps them no longer. */
  forget(ids: readonly CounterId[]): void {
    for (const id of ids) this.#kept.delete(id);
  }
}

/** What an addition makes of a counter. */
export function sum(entry: Entry | undefined, amount: number): Outcome {
  const { outcome } = entry ?? ABSENT;
  if (typeof outcome !== "number") return outcome;
  return outcome + amount <= MAX_HITS ? outcome + amount : new Problem("counter-full");
}

function entryOf({ value, versionstamp }: Deno.KvEntryMaybe<unknown>): Entry {
  if (versionstamp === null) return ABSENT;
  const counter = value instanceof Deno.KvU64 && value.value <= BigInt(MAX_HITS);
  return { outcome: counter ? Number(value.value) : new Problem("not-a-counter"), versionstamp };
}
