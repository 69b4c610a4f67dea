import { errorBadge } from "../badge/badge.ts";
import { type CounterId, counterId } from "../counter/counter_id.ts";
import { createFamilyLimit } from "../hits/family_limit.ts";
import { answer, headersOf, problemInPicture, UNCACHED_IMAGE } from "../http/answer.ts";
import { type Endpoint, endpoint, type Peer as Caller } from "../http/endpoint.ts";
import type { Address, AskedPeer, Counted, Numbers, Translation } from "../peers/peer.ts";
import { PEERS } from "../peers/peers.ts";
import { opens } from "../peers/serve_as.ts";
import { Problem } from "../problem.ts";
import type { Service } from "./service.ts";

/** How many counters that did not exist strangers may begin in one process and day. */
const NEW_COUNTERS = 1000;
/** Of the whole table: one for all that is opened. */
const FAMILY = "SERVE_AS";

const BY_NAME = new Map(Object.entries(PEERS));
const SCRIPT = headersOf("script", { cacheControl: "max-age=86400", cors: "any" });

/** `/as/*`: the addresses of other counters, each passed on to the endpoint that it is here. */
export function peers(service: Service): Endpoint {
  const { access, counters, dispatch, log, metrics, serveAs } = service;
  const limit = createFamilyLimit({ counters, limit: NEW_COUNTERS, by: "SERVE_AS", metrics, log });

  /** Sends a translated request to the endpoint that it is for. */
  function forward(path: string, { request, peer, parameters, method }: Forwarded) {
    const query = new URLSearchParams(
      parameters.flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
    );
    const { origin } = new URL(request.url);
    const { headers } = request;
    return dispatch(new Request(`${origin}${path}?${query}`, { method, headers }), peer);
  }

  /** The answer of the endpoint that counts or reads a counter. */
  async function send(
    path: string,
    { counted, asked, parameters, ...on }: Sent,
  ): Promise<Response> {
    const id = counterId(`${on.name}/${counted.id}`);
    const given = { key: asked.get("key"), token: asked.get("token") };
    const isOpened = given.key === undefined && given.token === undefined && opens(serveAs, id);
    const key = isOpened && counted.counts ? await access.keyFor(id) : given.key;
    const whole: Parameters = [
      ...parameters,
      ["id", id],
      ["key", counted.counts ? key : undefined],
      [
        "token",
        given.token,
      ],
    ];
    const go = async () => await forward(path, { ...on, parameters: whole });
    return isOpened && key !== undefined && on.method !== "HEAD"
      ? await limited(id, go)
      : await go();
  }

  /** Strangers must not be able to fill the store. */
  async function limited(id: CounterId, go: () => Promise<Response>): Promise<Response> {
    let response: Response | undefined;
    await limit.count({ id, family: FAMILY }, async () => {
      const before = counters.lastSeen(id);
      response = await go();
      // A repeat of the first hit begins nothing.
      return before === 1 ? 0 : counters.lastSeen(id) ?? 0;
    });
    if (response === undefined) throw new TypeError("Answer a hit: nothing was sent");
    return response;
  }

  async function answerTo(translation: Translation, on: On): Promise<Response> {
    const { method } = on;
    switch (translation.kind) {
      case "text":
        return answer(translation.body, SCRIPT);
      case "chart": {
        const { id, parameters } = translation;
        const counted = { id, counts: false };
        return await send("/chart.svg", { ...on, counted, parameters: Object.entries(parameters) });
      }
      case "image": {
        const { of, look, withToday } = translation;
        const parameters: Parameters = Object.entries(look);
        if (withToday) parameters.push(["show", "today/total"]);
        const path = of.counts ? "/hit.svg" : "/badge";
        return await send(path, {
          ...on,
          counted: of,
          parameters,
          method: method === "POST" ? "GET" : method,
        });
      }
      case "numbers":
        return await answerNumbers(translation, on);
    }
  }

  async function answerNumbers(
    { of, type, body, refusesZero }: Numbers,
    on: On,
  ): Promise<Response> {
    const numbers: number[] = [];
    let last: Response | undefined;
    // One after the other: what is asked for behind a hit has to show it.
    for (const counted of of) {
      const counts = counted.counts && on.method !== "HEAD";
      const parameters: Parameters = [
        ["once", counts && counted.once ? "day" : undefined],
        ["period", counted.today ? "today" : undefined],
      ];
      last = await send(counts ? "/hit" : "/count", {
        ...on,
        method: counts && on.method === "POST" ? "POST" : "GET",
        counted: { ...counted, counts },
        parameters,
      });
      if (!last.ok) return last;
      numbers.push((await last.json()).hits);
    }
    if (refusesZero && numbers[0] === 0) {
      throw new Problem("not-found", { detail: "Key not found" });
    }
    const cors = last?.headers.has("access-control-allow-origin") ? "any" : "none";
    return answer(body(numbers), headersOf(type, { cacheControl: UNCACHED_IMAGE, cors }));
  }

  return endpoint({
    summary: "Serve the addresses of other counters",
    parameters: [],
    errors: "json",
    async answer(_, { request, peer }) {
      const { name, path, address } = addressOf(request.url);
      const asked = askedOf(request);
      if (request.method === "POST" && address.post !== true) {
        throw new Problem("method-not-allowed", { allow: "GET, HEAD, OPTIONS" });
      }
      const { method } = request;
      try {
        return await answerTo(address.translate(path, asked), {
          request,
          peer,
          asked,
          name,
          method,
        });
      } catch (problem) {
        if (!(problem instanceof Problem) || address.isPicture !== true) throw problem;
        return problemInPicture(problem, { svg: errorBadge(problem), request, cors: "any" });
      }
    },
    // Not described in the OpenAPI document: these addresses are other services' own.
  });
}

type Parameters = [name: string, value: string | undefined][];

/** A request to a peer. */
interface On {
  readonly request: Request;
  readonly peer: Caller;
  readonly asked: AskedPeer;
  readonly name: string;
  readonly method: string;
}

interface Sent extends On {
  readonly counted: Counted;
  readonly parameters: Parameters;
}

type Forwarded = Pick<On, "request" | "peer" | "method"> & { readonly parameters: Parameters };

/** Which address of which peer a URL has; throws the problem "not-found" if there is none. */
function addressOf(url: string): { name: string; path: RegExpExecArray; address: Address } {
  const { pathname } = new URL(url);
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
function askedOf({ url, headers }: Request): AskedPeer {
  const query = new URLSearchParams(new URL(url).search.replaceAll("&amp;", "&"));
  const referer = headers.get("referer");
  return {
    get: (name) => query.get(name) ?? undefined,
    referrer: referer !== null && URL.canParse(referer) ? new URL(referer) : undefined,
  };
}
