import type { CounterId } from "../../counter/counter_id.ts";
import { Problem } from "../../problem.ts";
import type { StoreHealth } from "../store_health.ts";
import type { KvDatabase } from "./database.ts";
import { dayBucketAt, entriesOf } from "./deduplication_keys.ts";
import { encodeLedger, encodeYear } from "./layout.ts";
import { KEY_BYTES_PER_COMMIT, MUTATIONS_PER_COMMIT, VALUE_BYTES_PER_COMMIT } from "./limits.ts";
import { assumesAbsent, type Plan, type RelatedWrites, type Writes } from "./planner.ts";
import type { KvPlace, KvRecord } from "./records.ts";

/** How long conflicts with other writers are retried. */
const CONFLICT_LIMIT_MS = 1500;
/** How long the pause after a conflict is at most. */
const CONFLICT_PAUSE_MS = 20;

export interface CommitOptions<Item, Outcome> {
  readonly database: KvDatabase;
  readonly health: StoreHealth;
  /** Makes plans for items of one verb, such as additions, in their order; see planner.ts. */
  plan(items: readonly Item[], isRetry: boolean): Plan<Outcome>[] | Promise<Plan<Outcome>[]>;
}

/** Makes plans and commits them, in one commit or in a few; resolves with the outcomes in the order of the items. */
export function planAndCommit<Item, Outcome>(
  items: readonly Item[],
  options: CommitOptions<Item, Outcome>,
): Promise<(Outcome | Problem)[]> {
  return options.database.serialize(() => new Committer(options).attempt(items, false));
}

/** Items with their plans, as many as fit into one commit. */
interface Part<Item, Outcome> {
  readonly items: readonly Item[];
  readonly plans: readonly Plan<Outcome>[];
}

class Committer<Item, Outcome> {
  readonly #options: CommitOptions<Item, Outcome>;
  readonly #giveUpAt = performance.now() + CONFLICT_LIMIT_MS;

  constructor(options: CommitOptions<Item, Outcome>) {
    this.#options = options;
  }

  async attempt(items: readonly Item[], isRetry: boolean): Promise<(Outcome | Problem)[]> {
    const { database, plan } = this.#options;
    const planned = plan(items, isRetry);
    // Hot path: plans that need no read cost no promise.
    const plans = planned instanceof Promise
      ? await planned.catch((cause) => this.#unavailable(cause))
      : planned;
    const { checksPerCommit, keys } = database;
    const cuts = cutsBetween(plans, { checks: checksPerCommit, longestKey: keys.longest });
    if (cuts.length === 0) return await this.#commit({ items, plans });
    const parts = [...cuts, plans.length].map((end, index): Part<Item, Outcome> => {
      const start = cuts[index - 1] ?? 0;
      return { items: items.slice(start, end), plans: plans.slice(start, end) };
    });
    return await (database.isShared ? this.#commitTogether(parts) : this.#commitInTurn(parts));
  }

  /** A part that fails says nothing of those before it; those after it are not tried. */
  async #commitInTurn(parts: readonly Part<Item, Outcome>[]): Promise<(Outcome | Problem)[]> {
    const outcomes: (Outcome | Problem)[] = [];
    let failure: Problem | undefined;
    for (const part of parts) {
      const done = failure ?? await this.#commit(part).catch(problemIn);
      if (done instanceof Problem) {
        outcomes.push(...part.plans.map(() => done));
        failure = new Problem("store-unavailable", { cause: done.cause });
      } else {
        outcomes.push(...done);
      }
    }
    return outcomes;
  }

  /** Over a network they take as long as one: they are of different counters, so that none waits for another. */
  async #commitTogether(parts: readonly Part<Item, Outcome>[]): Promise<(Outcome | Problem)[]> {
    const done = await Promise.all(parts.map(async (part) => {
      const outcomes = await this.#commit(part).catch(problemIn);
      return outcomes instanceof Problem ? part.plans.map(() => outcomes) : outcomes;
    }));
    return done.flat();
  }

  async #commit({ items, plans }: Part<Item, Outcome>): Promise<(Outcome | Problem)[]> {
    const { database, health } = this.#options;
    const writing = plans.filter(({ writes }) => writes !== undefined);
    if (writing.length > 0) {
      const isDone = await database.commit(writing).catch((problem) => {
        health.unwritable(problem.cause);
        throw problem;
      });
      if (!isDone) {
        // What was assumed may just be wrong, which the next attempt reads.
        if (!plans.some(assumesAbsent)) await this.#pause();
        return await this.attempt(items, true);
      }
      health.well();
    }
    return plans.map(({ outcome }) => outcome);
  }

  async #pause(): Promise<void> {
    if (performance.now() > this.#giveUpAt) {
      this.#unavailable(new Error("Too many conflicts with other writers"));
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * CONFLICT_PAUSE_MS));
  }

  #unavailable(cause: unknown): never {
    this.#options.health.away(cause);
    throw new Problem("store-unavailable", { cause });
  }
}

function problemIn(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/** The most bytes that a number of hits or a day takes, and what a value has beside its numbers. */
const NUMBER_BYTES = 8;
const VALUE_BYTES = 50;

/** What a database takes in one commit: so many checks, and keys of so many bytes at most. */
interface CommitBounds {
  readonly checks: number;
  readonly longestKey: number;
}

/** Where plans are cut into commits: the places of those that no longer fit beside the ones before. */
function cutsBetween(plans: readonly Plan[], bounds: CommitBounds): number[] {
  const cuts: number[] = [];
  let load = new CommitLoad(bounds);
  plans.forEach(({ writes }, place) => {
    load.add(writes);
    if (load.fits) return;
    load = new CommitLoad(bounds);
    load.add(writes);
    cuts.push(place);
  });
  return cuts;
}

/** What a commit holds: as much as {@linkcode commitOf} writes. Hot path: counted without lists. */
class CommitLoad {
  readonly #bounds: CommitBounds;
  #checks = 0;
  #mutations = 0;
  #numbers = 0;

  constructor(bounds: CommitBounds) {
    this.#bounds = bounds;
  }

  get fits(): boolean {
    const { checks, longestKey } = this.#bounds;
    return this.#checks <= checks && this.#mutations <= MUTATIONS_PER_COMMIT &&
      this.#mutations * longestKey <= KEY_BYTES_PER_COMMIT &&
      this.#mutations * VALUE_BYTES + this.#numbers * NUMBER_BYTES <= VALUE_BYTES_PER_COMMIT;
  }

  add(writes: Writes | undefined): void {
    if (writes === undefined) return;
    this.#checks++;
    // A deletion is noted as well.
    this.#mutations += writes.total === undefined ? 2 : 1;
    if (writes.beside !== undefined) this.#addBeside(writes.beside);
  }

  #addBeside({ history, deduplication }: RelatedWrites): void {
    if (deduplication !== undefined) {
      this.#mutations += deduplication.keys.size + deduplication.visitors.size;
    }
    if (history === undefined) return;
    const { ledger, years, deletedYears } = history;
    this.#mutations += 1 + years.length + deletedYears.length;
    this.#numbers += ledger?.before.length ?? 0;
    for (const { hits } of years) this.#numbers += hits.length;
  }
}

/** How long an entry stays in the database, in milliseconds; for ever if it does not say. */
type Lifetime = { readonly expireIn?: number };

/** Where to commit, and how long deduplication keys and visitors stay there, if nobody sweeps them. */
export interface CommitPlace extends KvPlace {
  readonly keyLifetime?: Lifetime;
  /** Asked for only if there are visitors. */
  visitorLifetime?(): Lifetime;
}

/** One commit of all that plans write, unless somebody writes to one of their counters in between. */
export function commitOf(plans: readonly Plan[], place: CommitPlace): Deno.AtomicOperation {
  const { kv, keys, keyLifetime = {} } = place;
  const operation = kv.atomic();
  for (const { id, before, writes } of plans) {
    if (writes === undefined) continue;
    const { total, beside } = writes;
    const key = keys.total(id);
    // Nobody writes anything beside a total without the total itself, so that this guards all of it.
    operation.check({ key, versionstamp: before.versionstamp });
    // Never `sum`: if one mutation is refused because of its type, the others of its commit are stored.
    if (total === undefined) {
      operation.delete(key).set(keys.deleted(id, dayBucketAt(Date.now())), true, keyLifetime);
    } else operation.set(key, new Deno.KvU64(BigInt(total)));
    if (beside !== undefined) addBeside(operation, { id, beside, place });
  }
  return operation;
}

function addBeside(
  operation: Deno.AtomicOperation,
  { id, beside, place }: { id: CounterId; beside: RelatedWrites; place: CommitPlace },
): void {
  const { keys, keyLifetime = {} } = place;
  const { history, deduplication } = beside;
  if (history !== undefined) {
    const { ledger, years, deletedYears } = history;
    if (ledger === undefined) operation.delete(keys.ledger(id));
    else operation.set(keys.ledger(id), encodeLedger(ledger));
    for (const entry of years) operation.set(keys.year(id, entry.year), encodeYear(entry));
    for (const year of deletedYears) operation.delete(keys.year(id, year));
  }
  if (deduplication === undefined) return;
  const lifetime = deduplication.visitors.size > 0 ? place.visitorLifetime?.() : undefined;
  for (const { key, value } of entriesOf(deduplication, { id, keys })) {
    operation.set(key, value, value === true ? lifetime : keyLifetime);
  }
}

/** What is known of a counter after that commit; of one that was deleted, that nothing is stored. */
export function recordAfter({ before, writes }: Plan, versionstamp: string | null): KvRecord {
  if (writes === undefined) return before;
  const { total, beside } = writes;
  if (total === undefined) return { outcome: 0, versionstamp: null, openDay: -Infinity };
  const openDay = beside?.history?.ledger?.openDay ?? before.openDay;
  return { outcome: total, versionstamp, openDay };
}
