import { isbot, isbotMatch } from "isbot";
import type { OnceOutcome } from "../domain/store.ts";
import type { CounterContext } from "../http/endpoint.ts";
import { type Parameter, parseQuery, type Query } from "../http/query.ts";
import type { HitFlag } from "../http/response.ts";
import { Problem } from "../problem.ts";
import type { Proxies } from "./caller_address.ts";
import { createCreationLimit, type CreationLimitOptions } from "./creation_limit.ts";
import { createUniqueVisitors } from "./unique_visitors.ts";

/** Limits how often a visitor counts. */
export const once = {
  name: "once",
  meaning: "`day` counts each visitor once per counter and day.",
  schema: { type: "string", enum: ["day"] },
  isStrict: true,
} as const satisfies Parameter;

/** Identifies the visitor, for a server that counts hits for its visitors. */
export const visitor = {
  name: "visitor",
  meaning:
    "With `once` and the secret: identifies the visitor instead of the address of the client.",
  schema: { type: "string", maxLength: 1000 },
  isStrict: true,
} as const satisfies Parameter;

/** Returns the number to an owner who views a page of their own. */
const skip = {
  name: "skip",
  meaning: "`1` returns the number and counts nothing. It has no effect with the secret.",
  schema: { type: "string", enum: ["1"] },
  isStrict: true,
} as const satisfies Parameter;

/** The parameters of every endpoint that counts. */
export const HIT_PARAMETERS = [once, visitor, skip] as const;

/** The header that has repeats of a hit count once. */
export const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Needs the secret. Hits with the same key within 24 hours count once and return the " +
    "first number, so a hit is safe to retry after a 503, a 504 or no response.",
  schema: { type: "string", pattern: '^([A-Za-z0-9_-]{1,64}|"[A-Za-z0-9_-]{1,64}")$' },
} as const;

/** Parameters of other endpoints and services, each with what its sender probably meant. */
const MISTAKEN_FOR_ID: ReadonlyMap<string, string> = new Map([
  ["prefix", "prefix= reads all counters of a group and cannot be counted. Send the id of one"],
  ["ids", "A hit counts one counter. Instead of ids=, send one hit for each, with its id in id="],
  ["counter", "Send id= instead of counter="],
  ["name", "Send id= instead of name="],
]);

/** Throws "hit-needs-id" if another parameter replaces `id`, because `home` would be counted. */
export function refuseMistakenId(query: Query<"id">, { url }: Request): void {
  if (query.get("id") !== undefined) return;
  parseQuery(url, new Set(MISTAKEN_FOR_ID.keys())).query.forEach((_, name) => {
    const detail = `${MISTAKEN_FOR_ID.get(name)}, such as id=blog/post.`;
    throw new Problem("hit-needs-id", { detail });
  });
}

/** An authorized request for a hit. */
export type HitRequest = Omit<CounterContext<"once" | "visitor" | "skip">, "isPrefix">;

/** The number of a hit, and the reason why it is not an ordinary one. */
export interface FlaggedHit {
  readonly hits: number;
  readonly flag?: HitFlag | undefined;
  /** The name of a crawler, see {@linkcode crawlerName}. */
  readonly crawler?: string | undefined;
}

/** The outcome of a hit. That of an ordinary one is its number, as the counters return it. */
export type HitResult = number | FlaggedHit;

export interface HitPolicyOptions extends CreationLimitOptions {
  readonly proxies: Proxies;
  /** The origins of the pages that may count. Every page may if it is empty. */
  readonly hitOrigins: readonly string[];
}

/**
 * Creates the policy, which applies the first of its rules that matches a hit. A hit with the
 * idempotency key of an earlier one is that hit again.
 *
 * @example
 * ```ts
 * const countHit = createHitPolicy(options);
 * const result = await countHit({ request, connection, query, id, grant });
 * ```
 */
export function createHitPolicy(options: HitPolicyOptions) {
  const { counters, hitOrigins } = options;
  const countVisitor = createUniqueVisitors(options, options.proxies);
  const limitCreation = createCreationLimit(options);

  /** Returns the reason why a hit without the secret is answered and not counted, if any. */
  function reasonNotToCount({ request, query }: HitRequest, agent: AgentKind): HitFlag | undefined {
    if (agent === "crawler") return "bot";
    if (query.get("skip") !== undefined) return "skip";
    if (hitOrigins.length === 0) return undefined;
    // Images and servers send no origin.
    const origin = request.headers.get("origin");
    return origin === null || hitOrigins.includes(origin) ? undefined : "other-site";
  }

  return (hit: HitRequest, idempotencyKey?: string): HitResult | Promise<HitResult> => {
    const { request, query, id, grant } = hit;
    if (isPrefetch(request)) return withFlag("prefetch", counters.total(id));
    if (request.method === "HEAD") return counters.total(id);

    const hasSecret = grant === "secret";
    const asksOnce = query.get("once") !== undefined;
    // Hot path: no rule below concerns a server that counts for itself.
    if (hasSecret && !asksOnce && idempotencyKey === undefined) return counters.hit(id);
    const hasVisitor = query.get("visitor") !== undefined;
    if (hasVisitor && !hasSecret) throw new Problem("bad-query", { detail: VISITOR_BY_KEY });

    // A server's own user agent means nothing, unless it has to distinguish visitors.
    const isServer = hasSecret && (hasVisitor || !asksOnce);
    const agent = isServer ? "reader" : agentKind(request.headers);
    const reason = hasSecret ? undefined : reasonNotToCount(hit, agent);
    if (reason !== undefined) {
      const result = withFlag(reason, counters.total(id));
      if (reason !== "bot") return result;
      return result.then((result) => ({ ...result, crawler: crawlerName(request.headers) }));
    }

    // An image proxy hides its readers: two fetches may be two readers, or one who reloads.
    const isProxy = agent === "image proxy";
    const count = (): Promise<HitResult> => {
      // The store checks the idempotency key before the visitor, in the same step.
      if (asksOnce && !isProxy) return countVisitor(hit, idempotencyKey).then(resultOf);
      if (idempotencyKey === undefined) return counters.hit(id);
      return counters.hitDeduplicated(id, { key: idempotencyKey }).then(resultOf);
    };
    const prefix = typeof grant === "object" ? grant.prefix : undefined;
    const creator = grant === "SERVE_AS" ? grant : prefix;
    const result = creator === undefined ? count() : limitCreation({ id, creator }, count);
    return isProxy ? result.then(withCamo) : result;
  };
}

const PREFETCHING = /\bprefetch\b/i;

/** Reports whether a browser only prefetches this (Fetch standard, "Sec-Purpose header"). */
function isPrefetch({ headers }: Request): boolean {
  return PREFETCHING.test(headers.get("sec-purpose") ?? "") ||
    PREFETCHING.test(headers.get("purpose") ?? "");
}

const VISITOR_BY_KEY = "visitor= needs the secret. With a counter key, the caller is the visitor.";

async function withFlag(flag: HitFlag, hits: number | Promise<number>): Promise<FlaggedHit> {
  return { hits: await hits, flag };
}

function resultOf({ hits, repeat }: OnceOutcome): HitResult {
  return repeat ? { hits, flag: "repeat" } : hits;
}

function withCamo(result: HitResult): HitResult {
  return typeof result === "number" ? { hits: result, flag: "camo" } : result;
}

/** Bare, or as a quoted string (RFC 8941, section 3.3.3). */
const IDEMPOTENCY_KEY = /^(?:([\w-]{1,64})|"([\w-]{1,64})")$/;

/**
 * Parses the `Idempotency-Key` of a request. Throws `bad-idempotency-key` if it is invalid or not
 * allowed.
 */
export function parseIdempotencyKey(
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

/** The kind of a user agent. An image proxy fetches images for readers whom it hides. */
export type AgentKind = "reader" | "crawler" | "image proxy";

/**
 * The image proxies of GitHub and of mail providers, which `isbot` takes for crawlers. That of
 * Apple Mail sends `Mozilla/5.0`.
 */
const IMAGE_PROXY = /\bcamo\b|ImageProxy|YahooMailProxy|^Mozilla\/5\.0$/i;
/** Maximum number of examined characters, because `isbot` tries 200 patterns at each. */
const MAX_AGENT_LENGTH = 1000;

/**
 * Crawlers that `isbot` takes for browsers. They say "compatible; NAME/1.0", as old browsers do.
 * The tools at the end fetch images while they build documentation. Sphinx 5.3 sends the agent of
 * Firefox 25, and the privacy plugin of Material for MkDocs that of one build of Chrome 98.
 */
const NAMED_CRAWLER =
  /\bcompatible; (?!MSIE|Konqueror|OmniWeb|Opera|NetPositive|WebTV|Lotus)[\w .-]+\/|\b(?:Sphinx|jsdom)\/\d|\bwkhtmlto\w+|\brv:25\.0\) Gecko\/20100101 Firefox\/25\.0$|\bChrome\/98\.0\.4758\.102 Safari\/537\.36$/i;

/** Maximum length of the name of a crawler in characters. */
const MAX_NAME_LENGTH = 60;

/** Returns the part of the headers of a crawler that shows that it is one. */
export function crawlerName(headers: Headers): string | undefined {
  const agent = headers.get("user-agent")?.slice(0, MAX_AGENT_LENGTH) ?? "";
  const name = headers.get("signature-agent") ?? NAMED_CRAWLER.exec(agent)?.[0] ??
    isbotMatch(agent);
  return name?.slice(0, MAX_NAME_LENGTH);
}

/** Words for which `isbot` takes the browsers in SmartNews, Toutiao and Sogou for crawlers. */
const APP_WORDS = /news|sogou/gi;

/**
 * Classifies a client by its `User-Agent`, an app also by what scripts of pages send, and a crawler
 * also by the `Signature-Agent` with which it signs requests (Web Bot Auth).
 */
export function agentKind(headers: Headers): AgentKind {
  const agent = headers.get("user-agent")?.slice(0, MAX_AGENT_LENGTH) ?? "";
  if (IMAGE_PROXY.test(agent)) return "image proxy";
  if (headers.has("signature-agent") || NAMED_CRAWLER.test(agent)) return "crawler";
  if (!isbot(agent)) return "reader";
  const isScript = headers.has("origin") && headers.get("sec-fetch-mode") === "cors";
  return isScript && !isbot(agent.replace(APP_WORDS, "")) ? "reader" : "crawler";
}
