import type { RedisAddress } from "../../start/redis_address.ts";
import { Problem } from "../../problem.ts";
import { StartError } from "../../start_error.ts";
import type { StoreHealth } from "../store_health.ts";
import { arrived, nameOf, type RedisNode } from "./redis_node.ts";
import { hasNoDatabases, type Reply } from "./connection/reply.ts";
import { singleLink } from "./single_link.ts";
import type { Command, Shard, StoreLink } from "./store_link.ts";

/** Options of {@linkcode FindingLink}. */
export interface FindingLinkOptions {
  addresses: readonly RedisAddress[];
  /** Of a single Redis, and of what is not found yet. */
  health: StoreHealth;
  /** Connects to a server; `onInfo` is called with what it tells of itself, now and then. */
  connect(
    address: RedisAddress,
    options: { health: StoreHealth; onInfo(info: string): void },
  ): RedisNode;
  /** Opens the way to what is not a single Redis. */
  open: Readonly<Record<"cluster" | "sentinel", () => Promise<StoreLink>>>;
  /** Called where what is found cannot be used at all. */
  onUnusable(error: StartError): void;
}

/** How long servers that do not answer are waited for. */
const FIND_MS = 1000;

/** The way to a Redis of a form that nobody told: the first address that answers decides, be it now or later. */
export class FindingLink implements StoreLink {
  readonly #options: FindingLinkOptions;
  readonly #nodes: readonly RedisNode[];
  #taking: Promise<void> | undefined;
  #found: StoreLink | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: FindingLinkOptions) {
    this.#options = options;
    const health = this.#watchful(options.health);
    this.#nodes = options.addresses.map((address, index) =>
      options.connect(address, {
        health,
        onInfo: (info) => this.#taking ??= this.#take(index, info),
      })
    );
  }

  /** Resolves when an address has answered, or all have been tried. */
  async tried(): Promise<void> {
    await arrived(this.#nodes, performance.now() + FIND_MS);
    await this.#taking;
  }

  get health(): StoreHealth {
    return this.#found?.health ?? this.#options.health;
  }

  get together(): boolean {
    return this.#found?.together ?? true;
  }

  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    return await this.#known().send(commands);
  }

  shards(prefix: string): readonly Shard[] {
    return this.#known().shards(prefix);
  }

  scan(prefix: string): AsyncIterable<readonly string[]> {
    return this.#known().scan(prefix);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #known(): StoreLink {
    if (this.#found === undefined) throw new Problem("store-unavailable");
    return this.#found;
  }

  /** A node of a cluster refuses the login where that names another database, and tells nothing more of itself. */
  #watchful(health: StoreHealth): StoreHealth {
    return {
      ...health,
      away: (cause) => {
        health.away(cause);
        if (hasNoDatabases(cause)) {
          this.#refuse("is a Redis Cluster, which has no database but 0");
        }
      },
    };
  }

  async #take(index: number, info: string): Promise<void> {
    const node = this.#nodes[index];
    if (node === undefined || this.#closing !== undefined) return;
    const form = formIn(info);
    if (form === "standalone") return this.#takeSingle(node);
    const found = await this.#options.open[form]();
    // Of several addresses some may be away without harm; from now on what was found tells of itself.
    this.#options.health.well();
    this.#found = found;
    await this.#disconnect();
  }

  #takeSingle(node: RedisNode): void {
    if (this.#nodes.length > 1) {
      return this.#refuse(
        `has several addresses, but ${nameOf(node.address)} is a Redis by itself`,
      );
    }
    const { health } = this.#options;
    node.confirm(Infinity);
    this.#found = singleLink({ health, node: () => node, close: () => Promise.resolve() });
  }

  #refuse(why: string): void {
    this.#options.onUnusable(new StartError(`The store that STORE_URL names ${why}`));
  }

  async #disconnect(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  async #end(): Promise<void> {
    await this.#disconnect();
    await this.#taking;
    await this.#found?.close();
  }
}

type Form = "standalone" | "cluster" | "sentinel";

/** Some servers call it the mode of Redis, others that of the server. */
function formIn(info: string): Form {
  if (info.includes("cluster_enabled:1")) return "cluster";
  return /^\w+_mode:sentinel/m.test(info) ? "sentinel" : "standalone";
}
