import type { RedisAddress } from "../../start/redis_address.ts";
import { StartError } from "../../start_error.ts";
import { within } from "../../counter/within.ts";
import type { Place } from "./cluster_slots.ts";
import { Inquiry } from "./inquiry.ts";
import type { RedisLink } from "./redis_link.ts";
import { nameOf, type RedisNode } from "./redis_node.ts";
import type { Reply } from "./connection/reply.ts";
import { otherSentinels, type WatchedMaster, watchedMasters } from "./sentinel_answers.ts";

/** Options of {@linkcode SentinelWatch}. */
export interface SentinelWatchOptions {
  /** The Sentinels to ask at first, with the login of the Redis. */
  seeds: readonly RedisAddress[];
  /** What they call the Redis; undefined where they watch one only. */
  master: string | undefined;
  /** Connects to a Redis. */
  connect(address: RedisAddress): RedisNode;
  /** Connects to a Sentinel. */
  connectSentinel(address: RedisAddress): RedisLink;
  /** Called where what the Sentinels watch cannot be used at all. */
  onUnusable(error: StartError): void;
}

/** How often the Sentinels are asked while all is well, as a master that was replaced may not know it. */
const CALM_MS = 500;
/** How long Sentinels may take to answer. */
const ASK_MS = 300;

/** The Redis that Sentinels name as the master, now and after each failover. */
export class SentinelWatch {
  /** Asks all Sentinels for the master. */
  readonly inquiry: Inquiry = new Inquiry({ calmMs: CALM_MS, ask: () => this.#ask() });
  readonly #options: SentinelWatchOptions;
  readonly #sentinels = new Map<string, RedisLink>();
  #node: RedisNode | undefined;
  /** The failover that made it the master. */
  #epoch = -1;

  constructor(options: SentinelWatchOptions) {
    this.#options = options;
    for (const seed of options.seeds) this.#meet(seed);
  }

  /** The master as the Sentinels last named it; undefined where they did not yet. */
  get node(): RedisNode | undefined {
    return this.#node;
  }

  /** Resolves when the first attempts to connect to the Sentinels have ended, well or not. */
  get tried(): Promise<unknown> {
    return Promise.all(this.#sentinels.values().map((sentinel) => sentinel.tried));
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.inquiry.end();
    await Promise.all([...this.#sentinels.values()].map((sentinel) => sentinel.close()));
    await this.#node?.close();
  }

  async #ask(): Promise<boolean> {
    const askedAt = performance.now();
    const answers = await Promise.all(this.#sentinels.values().map((link) => this.#query(link)));
    for (const [, others] of answers) otherSentinels(others).forEach((place) => this.#meet(place));
    const best = this.#choose(answers.flatMap(([masters]) => watchedMasters(masters) ?? []));
    if (best !== undefined) this.#follow(best);
    await this.#confirm(askedAt);
    return this.#node?.usable ?? false;
  }

  /** Sentinels seldom ask for the password of the Redis that they watch: where they ask for none, AUTH is refused and the rest is answered. */
  async #query(sentinel: RedisLink): Promise<readonly (Reply | undefined)[]> {
    const [{ username = "default", password } = {}] = this.#options.seeds;
    const login = password === undefined ? [] : [["AUTH", username, password]];
    const name = this.#options.master;
    const commands = [["SENTINEL", "MASTERS"], ["SENTINEL", "SENTINELS", name ?? ""]];
    const asked = sentinel.send([...login, ...commands]);
    const replies = await within(ASK_MS, asked).catch(() => []);
    return replies.slice(login.length);
  }

  /** The master that the Sentinel of the latest failover names. */
  #choose(watched: readonly WatchedMaster[]): WatchedMaster | undefined {
    const names = [...new Set(watched.map(({ name }) => name))];
    const wanted = this.#options.master ?? (names.length === 1 ? names[0] : undefined);
    const [best] = watched.filter(({ name }) => name === wanted)
      .sort((one, other) => other.epoch - one.epoch);
    if (best === undefined && names.length > 0 && this.#node === undefined) {
      const told = names.sort().join(", ");
      this.#options.onUnusable(
        new StartError(`STORE_URL must name what the Sentinels watch, after a slash: ${told}`),
      );
    }
    return best;
  }

  #follow({ host, port, epoch }: WatchedMaster): void {
    const known = this.#node;
    if (epoch < this.#epoch) return;
    this.#epoch = epoch;
    if (known !== undefined && nameOf(known.address) === nameOf({ host, port })) return;
    this.#node = this.#options.connect(this.#like({ host, port }));
    known?.retire();
  }

  /** A Redis that says itself that it is no master is none, whatever the Sentinels say. */
  async #confirm(askedAt: number): Promise<void> {
    const node = this.#node;
    if (node === undefined) return;
    const [reply] = await within(ASK_MS, node.ask([["ROLE"]])).catch(() => []);
    const role = reply?.kind === "done" && Array.isArray(reply.value) ? reply.value[0] : "master";
    if (role === "master") node.confirm(askedAt);
  }

  #meet(place: Place): void {
    const name = nameOf(place);
    if (this.#sentinels.has(name)) return;
    const address = { ...this.#like(place), username: undefined, password: undefined, database: 0 };
    this.#sentinels.set(name, this.#options.connectSentinel(address));
  }

  /** An address with the login of the setting. */
  #like(place: Place): RedisAddress {
    const [seed] = this.#options.seeds;
    if (seed === undefined) throw new Error("Connect to a Sentinel: it has no address");
    return { ...seed, ...place };
  }
}
