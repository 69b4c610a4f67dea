import { errorBadge } from "../badge/badge.ts";
import { type CounterId, counterId } from "../counter/counter_id.ts";
import { createFamilyLimit } from "../hits/family_limit.ts";
import { answer, headersOf, problemInPicture, remarkOf, UNCACHED_IMAGE } from "../http/answer.ts";
import { type ConnectionInfo, type Endpoint, endpoint } from "../http/endpoint.ts";
import { MAX_QUERY_LENGTH } from "../http/query.ts";
import type { Address, AskedPeer, Chart, Counted, Image, Numbers } from "../peers/peer.ts";
import { PEERS } from "../peers/peers.ts";
import { opens } from "../peers/serve_as.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";
import type { Service } from "./service.ts";

/** How many counters that did not exist strangers may begin in one process and day. */
const NEW_COUNTERS = 1000;
/** Of the whole table: one for all that is opened. */
const FAMILY = "SERVE_AS";

/** How many addresses of badges are remembered for sure with what they are here: they are asked for again and again. */
const REMEMBERED = 500;
/** Characters. Longer ones are rare, and anyone could fill the memory with them. */
const MAX_REMEMBERED_LENGTH = 1000;

const BY_NAME = new Map(Object.entries(PEERS));
const SCRIPT = headersOf("script", { cacheControl: "max-age=86400", cors: "any" });

/** `/as/*`: the addresses of other counters, each passed on to the endpoint that it is here. */
export function peers(service: Service): Endpoint {
  const { access, counters, dispatch, log, metrics, serveAs } = service;
  const limit = createFamilyLimit({ counters, limit: NEW_COUNTERS, by: "SERVE_AS", metrics, log });
  const images = new BoundedMap<string, Target>(REMEMBERED);
  /** Whether the counters are missing that are being hit for the first time, as far as this process knows. */
  const beginning = new Map<CounterId, Promise<boolean>>();

  /** Where the endpoint that counts or reads a counter is found. */
  async function targetOf(
    path: string,
    { counted, parameters, asked, name, origin }: Aim,
  ): Promise<Target> {
    const id = counterId(`${name}/${counted.id}`);
    const given = { key: asked.get("key"), token: asked.get("token") };
    const isOpened = counted.counts && given.key === undefined && given.token === undefined &&
      opens(serveAs, id);
    const key = isOpened ? await access.internalKeyOf(id) : given.key;
    const query = new URLSearchParams({ id });
    for (const [name, value] of parameters) {
      if (value !== undefined) query.set(name, value);
    }
    if (counted.counts && key !== undefined) query.set("key", key);
    if (given.token !== undefined) query.set("token", given.token);
    return { url: `${origin}${path}?${query}`, id, isOpened: isOpened && key !== undefined };
  }

  /** Sends a request to the endpoint that it is for. */
  function send(
    { id, isOpened }: Target,
    request: Request,
    connection: ConnectionInfo,
  ): Response | Promise<Response> {
    const mayBegin = isOpened && request.method !== "HEAD" && !((counters.lastSeen(id) ?? 0) > 0);
    return mayBegin
      ? limited(id, () => dispatch(request, connection))
      : dispatch(request, connection);
  }

  async function isMissing(id: CounterId): Promise<boolean> {
    try {
      return await counters.count(id) === 0;
    } catch {
      // The endpoint will say why in its own words.
      return false;
    }
  }

  /** Strangers must not be able to fill the store. */
  async function limited(
    id: CounterId,
    go: () => Response | Promise<Response>,
  ): Promise<Response> {
    let response: Response | undefined;
    // Of those who hit it at once the first one begins it; none hits it before this is known.
    const known = beginning.get(id);
    const isNew = known ?? isMissing(id);
    if (known === undefined) beginning.set(id, isNew);
    try {
      const begins = await isNew && known === undefined;
      await limit.count({ id, family: FAMILY }, async () => {
        response = await go();
        return begins && (counters.lastSeen(id) ?? 0) > 0 ? 1 : 0;
      });
    } finally {
      if (known === undefined) beginning.delete(id);
    }
    if (response === undefined) throw new TypeError("Answer a hit: nothing was sent");
    return response;
  }

  /** Answers what was not asked for lately. */
  async function answerNew(request: Request, connection: ConnectionInfo): Promise<Response> {
    const { method } = request;
    const url = new URL(request.url);
    if (url.search.length > MAX_QUERY_LENGTH) throw new Problem("query-too-long");
    const { name, path, address } = addressOf(url);
    if (method === "POST" && address.post !== true) {
      throw new Problem("method-not-allowed", { allow: "GET, HEAD, OPTIONS" });
    }
    const asked = askedOf(url, request.headers);
    const on = { asked, name, origin: url.origin };
    try {
      const translation = address.translate(path, asked);
      switch (translation.kind) {
        case "text":
          return answer(translation.body, SCRIPT);
        case "numbers":
          return await answerNumbers(translation, on, { request, connection });
        case "chart":
        case "image": {
          const target = await targetOf(...aimAt(translation, on));
          // A secret is not kept.
          if (asked.get("token") === undefined && request.url.length <= MAX_REMEMBERED_LENGTH) {
            images.set(request.url, target);
          }
          return await send(target, redirected(request, target), connection);
        }
      }
    } catch (problem) {
      if (!(problem instanceof Problem) || address.isPicture !== true) throw problem;
      return problemInPicture(problem, { svg: errorBadge(problem), request, cors: "any" });
    }
  }

  async function answerNumbers(
    { of, type, body, refusesZero }: Numbers,
    on: Pick<Aim, "asked" | "name" | "origin">,
    { request, connection }: { request: Request; connection: ConnectionInfo },
  ): Promise<Response> {
    const numbers: number[] = [];
    /** What is special about each hit. */
    const remarks = new Set<string | null>();
    let last: Response | undefined;
    // One after the other: what is asked for behind a hit has to show it.
    for (const one of of) {
      const counted = { ...one, counts: one.counts && request.method !== "HEAD" };
      const parameters: Parameters = [
        ["once", counted.counts && counted.once ? "day" : undefined],
        ["period", counted.today ? "today" : undefined],
      ];
      const path = counted.counts ? "/hit" : "/count";
      const target = await targetOf(path, { ...on, counted, parameters });
      // With GET, so that a body that came with POST is overlooked, as it is there.
      const { headers } = request;
      last = await send(target, new Request(target.url, { headers }), connection);
      if (!last.ok) {
        // It says that nothing was changed, and some of it was.
        if (last.status === 503 && remarks.has(null)) throw new Problem("outcome-unknown", PARTLY);
        return last;
      }
      numbers.push((await last.json()).hits);
      if (counted.counts) remarks.add(last.headers.get("x-tallymark"));
    }
    if (refusesZero && numbers[0] === 0) {
      throw new Problem("not-found", { detail: "Key not found" });
    }
    const cors = last?.headers.has("access-control-allow-origin") ? "any" : "none";
    const headers = headersOf(type, { cacheControl: UNCACHED_IMAGE, cors });
    const [remark] = remarks;
    return answer(body(numbers), {
      ...headers,
      // Where one of several was an ordinary hit, so is the request.
      ...(remarks.size === 1 && remark && remarkOf(remark, cors)),
    });
  }

  return endpoint({
    summary: "Serve the addresses of other counters",
    parameters: [],
    errors: "json",
    // Peers take queries that are not percent-encoded.
    ignoresQuery: true,
    answer(_, { request, connection }) {
      const known = request.method === "POST" ? undefined : images.get(request.url);
      if (known === undefined) return answerNew(request, connection);
      return send(known, redirected(request, known), connection);
    },
    // Not described in the OpenAPI document: these addresses are other services' own.
  });
}

const PARTLY = {
  detail: "Some of these counters were counted, the others were not: sending it again may count " +
    "those twice.",
};

type Parameters = (readonly [name: string, value: string | undefined])[];

/** An address here, and the counter that is behind it. */
interface Target {
  readonly url: string;
  readonly id: CounterId;
  /** Whether strangers may count it by that address, as long as they do not begin too many. */
  readonly isOpened: boolean;
}

/** What is to be asked for, and for which request. */
interface Aim {
  readonly counted: Counted;
  readonly parameters: Parameters;
  readonly asked: AskedPeer;
  /** That of the peer. */
  readonly name: string;
  readonly origin: string;
}

/** Hot path: a new request would copy the headers, which takes longer than all else here. */
function redirected(request: Request, { url }: Target): Request {
  return Object.defineProperty(request, "url", { value: url });
}

function aimAt(
  translation: Image | Chart,
  on: Omit<Aim, "counted" | "parameters">,
): [path: string, aim: Aim] {
  if (translation.kind === "chart") {
    const { id, parameters } = translation;
    const counted = { id, counts: false };
    return ["/chart.svg", { ...on, counted, parameters: Object.entries(parameters) }];
  }
  const { of, look, withToday } = translation;
  const parameters: Parameters = Object.entries(look);
  if (withToday) parameters.push(["show", "today/total"]);
  return [of.counts ? "/hit.svg" : "/badge", { ...on, counted: of, parameters }];
}

/** Which address of which peer a URL has; throws the problem "not-found" if there is none. */
function addressOf({ pathname }: URL): { name: string; path: RegExpExecArray; address: Address } {
  const [, name = "", encoded = ""] = /^\/as\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
  const text = decoded(encoded);
  for (const address of BY_NAME.get(name)?.addresses ?? []) {
    const path = address.path.exec(text);
    if (path !== null) return { name, path, address };
  }
  throw new Problem("not-found");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw new Problem("bad-query", { detail: "The path must be percent-encoded UTF-8.", cause });
  }
}

/** As lenient as peers are: `&amp;` that nobody decoded is an ampersand, and the first of several values counts. */
function askedOf({ search }: URL, headers: Headers): AskedPeer {
  const query = new URLSearchParams(search.replaceAll("&amp;", "&"));
  const referer = headers.get("referer");
  return {
    get: (name) => query.get(name) ?? undefined,
    referrer: referer !== null && URL.canParse(referer) ? new URL(referer) : undefined,
  };
}
