import { key, token } from "../auth/access.ts";
import { type CounterId, counterId, parseCounterId } from "../domain/counter_id.ts";
import { parseIdempotencyKey } from "../hits/hit_policy.ts";
import { type Endpoint, endpoint, type Protocol, type RequestContext } from "../http/endpoint.ts";
import { type ParsedQuery, parseQuery, QueryValues } from "../http/query.ts";
import { jsonResponse } from "../http/response.ts";
import { Problem } from "../problem.ts";
import type { Service } from "../service.ts";

/** Maximum length of a body in bytes. */
const MAX_BODY_BYTES = 65_536;
/** Maximum number of counters in a query, and of writes in a batch. */
const MAX_ITEMS = 100;

const ROOT = "/as/leancloud";
const BATCH = "/1.1/batch";
const COUNTER = /^\/1\.1\/classes\/Counter(?:\/([\w-]+))?$/;

/** A query for counters. */
interface Read {
  /** The field that holds the page: each theme has its own. */
  readonly field: string;
  readonly pages: readonly string[];
  readonly limit: number;
}

/** A write: a hit, or the creation of a counter at 0, which stores nothing. */
interface Write {
  readonly id: CounterId;
  readonly hits: 0 | 1;
}

/**
 * `/as/leancloud/*`: the page counters that blog themes keep in the class `Counter` of LeanCloud.
 * The counter of a page is `leancloud/<X-LC-Id>/<page>`. Its `objectId` is its id in base64url.
 */
export function leancloud(
  { countHit, counters, networkOf, readSmallBody, recentHits, toProblem }: Service,
): Endpoint {
  async function read({ field, pages, limit }: Read, prefix: CounterId) {
    // All in the same turn of the event loop, so that the store gets them in one batch.
    const found = await Promise.all(pages.map(async (page) => {
      const id = pageId(prefix, page);
      if (id === undefined) return [];
      const time = await counters.total(id);
      return time > 0 ? [{ objectId: objectIdOf(id), [field]: page, time }] : [];
    }));
    const results = found.flat().toSorted((one, other) => other.time - one.time);
    return { results: results.slice(0, limit) };
  }

  /** Carries out a write. */
  async function write({ id, hits }: Write, context: RequestContext<never>) {
    const objectId = objectIdOf(id);
    if (hits === 0) return { objectId };
    const query = new QueryValues([["id", id]]);
    const hit = { ...context, query, id };
    try {
      const result = await countHit(hit, parseIdempotencyKey(hit));
      return { objectId, time: recentHits.record(hit, result).hits };
    } catch (error) {
      const problem = toProblem(error);
      recentHits.recordProblem(problem, query);
      throw problem;
    }
  }

  return endpoint("prefix", {
    summary: "Serve the page counters of LeanCloud",
    parameters: [key, token],
    protocol: PROTOCOL,
    parse: (_, request) => parseRequest(request),
    async respond(context, query) {
      const { request, id: prefix } = context;
      const { method, url } = request;
      if (query !== undefined) return jsonResponse(await read(query, prefix));
      const body = parseJson(await readSmallBody(request, MAX_BODY_BYTES, networkOf(context)));
      const path = pathOf(url);
      if (path !== BATCH) {
        const object = await write(parseWrite({ method, path, body }, prefix), context);
        return jsonResponse(object, "no-store", method === "POST" ? 201 : 200);
      }
      const results = parseBatch(body, prefix).map((one) =>
        write(one, context).then(
          (success) => ({ success }),
          (error) => ({ error: errorObject(toProblem(error)) }),
        )
      );
      return jsonResponse(await Promise.all(results));
    },
    // Not in the OpenAPI document, because LeanCloud defines these addresses.
  });
}

const PROTOCOL: Protocol = {
  readQuery,
  formatProblem: (problem) => JSON.stringify(errorObject(problem)),
  preflight: {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, PUT",
    "access-control-allow-headers": "Content-Type, X-LC-Id, X-LC-Key, X-LC-Prod, X-LC-UA",
    "access-control-max-age": "86400",
  },
};

const KEY_HINT =
  "X-LC-Key must be the key of the group leancloud/<X-LC-Id>/, as GET /key?prefix= " +
  "returns it. X-LC-Sign is not supported: send X-LC-Key instead.";

/** Reads the prefix and its key from the headers. */
function readQuery({ url, headers }: Request): ParsedQuery {
  const { query: credentials, error } = parseQuery(url, new Set(["token"]));
  const name = headers.get("x-lc-id") ?? "";
  const query = new QueryValues([
    ["prefix", `leancloud/${name}/`],
    ["key", headers.get("x-lc-key") ?? ""],
  ]);
  credentials.forEach((value, name) => query.set(name, value));
  if (error !== undefined) return { query, error };
  if (!/^[\w.-]{1,100}$/.test(name)) {
    const detail = "X-LC-Id must be 1 to 100 letters, digits, dots, dashes or underscores.";
    return { query, error: new Problem("bad-query", { detail }) };
  }
  return { query, error: headers.has("x-lc-sign") ? new Problem("unauthorized") : undefined };
}

/** Formats an error like LeanCloud. The code is the status, because themes only look for 401. */
function errorObject({ kind, status, detail }: Problem): { code: number; error: string } {
  return { code: status, error: kind === "unauthorized" ? KEY_HINT : detail };
}

/** Returns the counter of a page. Returns undefined if no counter can have that id. */
function pageId(prefix: CounterId, page: string): CounterId | undefined {
  const name = page.replace(/^\//, "").replace(/\/$/, "");
  return parseCounterId(`${prefix}${name === "" ? "*home" : name}`);
}

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

function objectIdOf(id: CounterId): string {
  return new TextEncoder().encode(id).toBase64(BASE64URL);
}

/** Parses an `objectId`. Throws "bad-query" unless it is that of a counter below the prefix. */
function parseObjectId(objectId: string, prefix: CounterId): CounterId {
  try {
    const bytes = Uint8Array.fromBase64(objectId, BASE64URL);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const id = counterId(text);
    if (id.startsWith(prefix) && objectIdOf(id) === objectId) return id;
  } catch {
    // Not base64url, not UTF-8 or not an id.
  }
  return refuse("The objectId must be one that this service returned for the same X-LC-Id.");
}

function refuse(detail: string): never {
  throw new Problem("bad-query", { detail });
}

const SUPPORTED = "Supported are GET and POST of /1.1/classes/Counter, PUT of " +
  "/1.1/classes/Counter/<objectId> that increments time by 1, and POST of /1.1/batch with those writes.";

/** Returns the path below the origin of LeanCloud. */
function pathOf(url: string): string {
  return new URL(url).pathname.slice(ROOT.length);
}

/** Parses the path and the query. Returns undefined for a write. Throws "bad-query" for others. */
function parseRequest({ method, url }: Request): Read | undefined {
  const { searchParams } = new URL(url);
  const path = pathOf(url);
  const isRead = method === "GET";
  const names = isRead ? ["where", "limit", "order", "token"] : ["fetchWhenSave", "new", "token"];
  if (![...searchParams.keys()].every((name) => names.includes(name))) {
    refuse(`The only parameters are ${names.join(", ")}.`);
  }
  if (path === BATCH && method === "POST") return undefined;
  const [isCounter, objectId] = COUNTER.exec(path) ?? [];
  if (isCounter === undefined || (objectId !== undefined) !== (method === "PUT")) {
    refuse(SUPPORTED);
  }
  return isRead ? parseRead(searchParams) : undefined;
}

function parseRead(parameters: URLSearchParams): Read {
  const limit = parameters.get("limit") ?? "100";
  if (!/^\d{1,4}$/.test(limit) || (parameters.get("order") ?? "-time") !== "-time") {
    refuse("limit must be a whole number, and order must be -time.");
  }
  return { ...parseWhere(parameters.get("where") ?? ""), limit: Number(limit) };
}

const WHERE = `where must be {"url":PAGE} or {"url":{"$in":[PAGES]}}, with at most ${MAX_ITEMS} ` +
  "pages. The field may be target instead of url.";

function parseWhere(text: string): Pick<Read, "field" | "pages"> {
  const { url, target } = membersOf(parseJson(text, WHERE), ["url", "target"], WHERE);
  if (url !== undefined && target !== undefined) refuse(WHERE);
  const field = url === undefined ? "target" : "url";
  const value = url ?? target;
  if (typeof value === "string") return { field, pages: [value] };
  const { $in: pages } = membersOf(value, ["$in"], WHERE);
  if (!Array.isArray(pages) || pages.length > MAX_ITEMS) refuse(WHERE);
  if (!pages.every((page) => typeof page === "string")) refuse(WHERE);
  return { field, pages };
}

/** Parses the writes of a batch, which are all checked before the first is carried out. */
function parseBatch(body: unknown, prefix: CounterId): readonly Write[] {
  const { requests } = membersOf(body, ["requests"], BATCH_FORMAT);
  if (!Array.isArray(requests) || requests.length > MAX_ITEMS) refuse(BATCH_FORMAT);
  return requests.map((request) => parseWrite(request, prefix));
}

const BATCH_FORMAT = `A batch is {"requests":[…]} with at most ${MAX_ITEMS} writes.`;

function parseWrite(request: unknown, prefix: CounterId): Write {
  const { method, path, body } = membersOf(request, ["method", "path", "body"], SUPPORTED);
  const [isCounter, objectId] = typeof path === "string" ? COUNTER.exec(path) ?? [] : [];
  if (isCounter === undefined) refuse(SUPPORTED);
  if (method === "POST" && objectId === undefined) return parseCreation(body, prefix);
  const { time } = membersOf(body, ["time"], SUPPORTED);
  const { __op, amount } = membersOf(time, ["__op", "amount"], SUPPORTED);
  if (method !== "PUT" || objectId === undefined || __op !== "Increment" || amount !== 1) {
    refuse(SUPPORTED);
  }
  return { id: parseObjectId(objectId, prefix), hits: 1 };
}

/** Parses `{"url":PAGE,"time":1}`. The title and the access rules of a counter are not stored. */
function parseCreation(body: unknown, prefix: CounterId): Write {
  const names = ["url", "target", "time", "title", "ACL"];
  const { url, target, time } = membersOf(body, names, CREATION_FORMAT);
  const page = url ?? target;
  if (typeof page !== "string" || (url !== undefined && target !== undefined)) {
    refuse("A counter needs the page, as url or as target.");
  }
  if (time !== 0 && time !== 1) refuse(CREATION_FORMAT);
  const id = pageId(prefix, page);
  if (id === undefined) refuse("The page is too long, or has characters that ids cannot have.");
  return { id, hits: time };
}

const CREATION_FORMAT =
  "A counter begins with time 0 or 1, and has no fields but url or target, time and title.";

/** Parses JSON. Refuses the request with a detail if it is invalid. */
function parseJson(text: string, detail = "The body must be JSON."): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(detail);
  }
}

/** Returns the members of an object, and none of any other value. Refuses other names. */
function membersOf(
  value: unknown,
  names: readonly string[],
  detail: string,
): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const members = isObject ? { ...value } : {};
  if (Object.keys(members).some((name) => !names.includes(name))) refuse(detail);
  return members;
}
