import { counterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import type { Access } from "../http/access.ts";
import { answer, headersOf } from "../http/answer.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { parseQuery } from "../http/query.ts";
import { Problem } from "../problem.ts";

const READ = ["GET", "HEAD"] as const;
/** Of endpoints that take no parameters, whose query must be well-formed all the same. */
const NONE: ReadonlySet<string> = new Set();

/** `GET /key`: the key that opens one counter, for whoever has the secret. */
export function counterKey(access: Access): Endpoint {
  const parameters = new Set(["id", "token"]);
  const headers = headersOf("json", "no-store", "own");
  return {
    methods: READ,
    errors: "json",
    audience: "own",
    async handle(request) {
      const query = parseQuery(request.url, parameters);
      const id = counterId(query.get("id"));
      const key = await access.keyOf(request, query, id);
      return answer(JSON.stringify({ id, key }), headers);
    },
  };
}

/** `GET /openapi.json`: the description of this service. */
export function openapiDocument(): Endpoint {
  const headers = headersOf("json", "no-cache", "any");
  let body: string | undefined;
  return {
    methods: [...READ, "OPTIONS"],
    errors: "json",
    audience: "any",
    async handle(request) {
      parseQuery(request.url, NONE);
      // Most processes are never asked for it: it is loaded and written out for the first who does.
      body ??= JSON.stringify((await import("../openapi/document.ts")).openapi);
      return answer(body, headers);
    },
  };
}

/** `GET /healthz`: the process is alive. */
export function health(): Endpoint {
  const headers = headersOf("json", "no-store", "own");
  return {
    methods: READ,
    errors: "json",
    audience: "own",
    handle: () => answer('{"status":"ok"}', headers),
  };
}

/** `GET /readyz`: the store answers too. */
export function readiness(counters: Counters): Endpoint {
  const headers = headersOf("json", "no-store", "own");
  return {
    methods: READ,
    errors: "json",
    audience: "own",
    async handle(request) {
      parseQuery(request.url, NONE);
      try {
        await counters.ready();
      } catch (cause) {
        throw new Problem("store-unavailable", { cause });
      }
      return answer('{"status":"ok"}', headers);
    },
  };
}

/** `GET /`: what this service is, for a person who comes by. */
export function welcome(): Endpoint {
  const headers = { ...headersOf("text", "no-cache", "own"), "referrer-policy": "no-referrer" };
  return {
    methods: READ,
    errors: "json",
    audience: "own",
    handle(request) {
      parseQuery(request.url, NONE);
      return answer(WELCOME, headers);
    },
  };
}

const WELCOME = `Tallymark: hit counters and badges

  GET  /count?id=home       the number as JSON (format=txt: as text)
  GET  /count.txt?id=home   the number as text
  GET  /badge?id=home       the number as an SVG badge
  GET  /badge.json?id=home  the number for shields.io's endpoint badge
  POST /hit?id=home         adds one (needs the secret, or the counter's key)
  GET  /hit.svg?id=home     adds one and draws the badge (same)
  GET  /key?id=home         the counter's key (needs the secret)
  GET  /openapi.json        all of this for machines
  GET  /healthz, /readyz    is the process alive, does its store answer
`;
