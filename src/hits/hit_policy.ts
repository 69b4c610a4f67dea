import type { Grant } from "../auth/access.ts";
import type { FamilyPrefix } from "../auth/secret.ts";
import type { CounterId } from "../counter/counter_id.ts";
import type { OnceOutcome } from "../counter/once.ts";
import type { Counters } from "../counting/counters.ts";
import type { ConnectionInfo } from "../http/endpoint.ts";
import { type Parameter, type Query, readQuery } from "../http/query.ts";
import { loadOnce } from "../load_once.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";
import type { Proxies } from "./caller_address.ts";
import { createFamilyLimit } from "./family_limit.ts";

/** How often a visitor counts. */
export const once = {
  name: "once",
  meaning: "`day` counts each visitor once per counter and day.",
  schema: { type: "string", enum: ["day"] },
  accepts: (text: string) => text === "day",
} as const satisfies Parameter;

/** Who the visitor is, for a server that calls in the name of its visitors. */
export const visitor = {
  name: "visitor",
  meaning:
    "With `once` and the secret: identifies the visitor instead of the address of the client.",
  schema: { type: "string", maxLength: 1000 },
  accepts: (text: string) => text !== "" && text.length <= 1000,
} as const satisfies Parameter;

/** Parameters of other endpoints and services, each with what its sender probably meant. */
const MISTAKEN_FOR_ID: ReadonlyMap<string, string> = new Map([
  ["prefix", "prefix= reads all counters of a family and cannot be counted. Send the id of one"],
  ["ids", "A hit counts one counter. Instead of ids=, send one hit for each, with its id in id="],
  ["counter", "Send id= instead of counter="],
  ["name", "Send id= instead of name="],
]);

/** Throws "hit-needs-id" if another parameter takes the place of `id`, because `home` would be counted. */
export function refuseMistakenId(query: Query<"id">, { url }: Request): void {
  if (query.get("id") !== undefined) return;
  readQuery(url, new Set(MISTAKEN_FOR_ID.keys())).query.forEach((_, name) => {
    const detail = `${MISTAKEN_FOR_ID.get(name)}, such as id=blog/post.`;
    throw new Problem("hit-needs-id", { detail });
  });
}

/** An authorized request for a hit. */
export interface HitRequest {
  readonly request: Request;
  readonly connection: ConnectionInfo;
  readonly query: Query<"once" | "visitor">;
  readonly id: CounterId;
  readonly grant: Grant;
}

/** The number to answer with. Hot path: an ordinary hit is a bare number, without an object around it. */
export type HitResult = number | { readonly hits: number; readonly remark: Remark };

/** Why the number is not that of an ordinary hit, as sent in `X-Tallymark`. */
export type Remark = "prefetch" | "bot" | "repeat" | "camo";

export interface HitPolicy {
  /** Counts a hit if the policy says so; a hit with the same idempotency key as an earlier one is that hit again. */
  countHit(hit: HitRequest, idempotencyKey?: string): HitResult | Promise<HitResult>;
  /** Loads the modules that only some hits need. */
  preload(): Promise<void>;
}

export interface HitPolicyOptions {
  counters: Counters;
  proxies: Proxies;
  familyLimit: number;
  metrics: Metrics;
  log: Log;
}

/** The rules are applied from top to bottom; the first that settles what becomes of a hit wins. */
export function createHitPolicy(
  { counters, proxies, familyLimit, metrics, log }: HitPolicyOptions,
): HitPolicy {
  const agents = createUserAgents();
  const families = createFamilyLimit({ counters, limit: familyLimit, metrics, log });
  const loadVisitors = loadOnce(async () => {
    const { createUniqueVisitors } = await import("./unique_visitors.ts");
    return createUniqueVisitors({ counters, proxies, log });
  });

  function countHit(hit: HitRequest, idempotencyKey?: string): HitResult | Promise<HitResult> {
    const { request, query, id, grant } = hit;
    if (isPrefetch(request)) return withRemark("prefetch", counters.count(id));
    if (request.method === "HEAD") return counters.count(id);

    const hasSecret = grant === "secret";
    const isOnce = query.get("once") !== undefined;
    // Hot path: the rules below do not concern a server that counts for itself.
    if (hasSecret && !isOnce && idempotencyKey === undefined) return counters.hit(id);
    const hasVisitor = query.get("visitor") !== undefined;
    if (hasVisitor && !hasSecret) throw new Problem("bad-query", { detail: VISITOR_BY_KEY });

    // A server's own user agent means nothing, unless it has to distinguish visitors.
    const isServer = hasSecret && (hasVisitor || !isOnce);
    const agent = isServer ? "reader" : agents.kindOf(request.headers.get("user-agent") ?? "");
    return agent instanceof Promise
      ? agent.then((agent) => countFor(agent, { hit, idempotencyKey }))
      : countFor(agent, { hit, idempotencyKey });
  }

  function countFor(agent: AgentKind, { hit, idempotencyKey: key }: KeyedHit): Promise<HitResult> {
    const { id, grant, query } = hit;
    if (agent === "crawler" && grant !== "secret") return withRemark("bot", counters.count(id));

    // An image proxy hides its readers: two fetches may be two readers, or one who reloads.
    const isProxy = agent === "image proxy";
    const isOnce = query.get("once") !== undefined && !isProxy;
    const count = (): Promise<HitResult> => {
      // In the store, the idempotency key is checked before the visitor, in the same step.
      if (isOnce) return countVisitor({ hit, idempotencyKey: key }).then(resultOf);
      return key === undefined ? counters.hit(id) : counters.hitOnce(id, { key }).then(resultOf);
    };
    const result = isFamily(grant) ? families.count({ id, family: grant }, count) : count();
    return isProxy ? result.then(withCamo) : result;
  }

  async function countVisitor({ hit, idempotencyKey }: KeyedHit): Promise<OnceOutcome> {
    const visitors = await loadVisitors();
    return await visitors.count(hit, idempotencyKey);
  }

  return {
    countHit,
    async preload() {
      await Promise.all([agents.preload(), loadVisitors()]);
    },
  };
}

interface KeyedHit {
  readonly hit: HitRequest;
  readonly idempotencyKey: string | undefined;
}

const PREFETCHING = /\bprefetch\b/i;

/** Whether a browser only fetches this in case it is wanted later (Fetch standard, "Sec-Purpose header"). */
function isPrefetch({ headers }: Request): boolean {
  return isPrefetching(headers.get("sec-purpose")) || isPrefetching(headers.get("purpose"));
}

function isPrefetching(purpose: string | null): boolean {
  return purpose !== null && PREFETCHING.test(purpose);
}

const VISITOR_BY_KEY = "visitor= needs the secret. With a counter key, the caller is the visitor.";

function isFamily(grant: Grant): grant is FamilyPrefix {
  return grant.endsWith("/");
}

async function withRemark(remark: Remark, hits: number | Promise<number>): Promise<HitResult> {
  return { hits: await hits, remark };
}

function resultOf({ hits, repeat }: OnceOutcome): HitResult {
  return repeat ? { hits, remark: "repeat" } : hits;
}

function withCamo(result: HitResult): HitResult {
  return typeof result === "number" ? { hits: result, remark: "camo" } : result;
}

/** Bare, or as a quoted string (RFC 8941, section 3.3.3). */
const IDEMPOTENCY_KEY = /^(?:([\w-]{1,64})|"([\w-]{1,64})")$/;

/** The `Idempotency-Key` of a request; throws "bad-idempotency-key" if it is invalid or not allowed. */
export function idempotencyKeyOf(
  { request: { headers }, grant }: Pick<HitRequest, "request" | "grant">,
): string | undefined {
  const given = headers.get("idempotency-key");
  if (given === null) return undefined;
  const [, bare, quoted] = IDEMPOTENCY_KEY.exec(given) ?? [];
  const key = bare ?? quoted;
  if (key === undefined) throw new Problem("bad-idempotency-key");
  if (grant === "secret") return key;
  // Counter keys are public: strangers could fill the store with idempotency keys.
  throw new Problem("bad-idempotency-key", {
    detail: "An Idempotency-Key needs the secret. A counter key is not enough.",
  });
}

/** An image proxy fetches images for readers whom it hides. */
export type AgentKind = "reader" | "crawler" | "image proxy";

export interface UserAgents {
  /** At once for a `User-Agent` that was seen recently, otherwise after loading the patterns of crawlers. */
  kindOf(agent: string): AgentKind | Promise<AgentKind>;
  /** Loads these patterns. */
  preload(): Promise<void>;
}

/** GitHub's image proxy and similar ones, and those of mail providers; `isbot` takes them for crawlers. */
const IMAGE_PROXY = /\bcamo\b|GoogleImageProxy|YahooMailProxy/i;
/** At least so many user agents are remembered. */
const REMEMBERED = 1000;
/** Characters. Longer ones are rare, and anyone could fill the memory with them. */
const MAX_REMEMBERED_LENGTH = 300;
/** Characters. The rest is ignored: two hundred patterns are tried at each character. */
const MAX_READ_LENGTH = 1000;

export function createUserAgents(): UserAgents {
  const known = new BoundedMap<string, AgentKind>(REMEMBERED);
  const load = loadOnce(() => import("isbot"));

  async function recognize(agent: string): Promise<AgentKind> {
    const { isbot } = await load();
    const read = agent.slice(0, MAX_READ_LENGTH);
    const kind = IMAGE_PROXY.test(read) ? "image proxy" : isbot(read) ? "crawler" : "reader";
    if (agent.length <= MAX_REMEMBERED_LENGTH) known.set(agent, kind);
    return kind;
  }

  return {
    kindOf: (agent) => known.get(agent) ?? recognize(agent),
    async preload() {
      await load();
    },
  };
}
