import type { Content, Description, ResponseObject, Responses, Schema } from "../http/endpoint.ts";
import { HIT_FLAGS } from "../http/response.ts";
import { PROBLEM_NAMES } from "../problem.ts";
import type { schemas } from "./schemas.ts";

/** Returns a reference to a schema of `components.schemas`. */
function refTo(name: keyof typeof schemas): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Creates the description of an endpoint. */
export function operation(
  tag: Description["tag"],
  name: string,
  responses: Responses,
  problems: readonly number[] = [],
): Description {
  return { name, tag, responses, problems };
}

/** The statuses of problems of an endpoint that calls the store. */
export const STORE_PROBLEMS: readonly number[] = [409, 503, 504];
/** The statuses of problems of an endpoint that counts hits. */
export const HIT_PROBLEMS: readonly number[] = [403, ...STORE_PROBLEMS];

/** Returns a JSON body with one of these schemas. */
export function json(...names: [keyof typeof schemas, ...(keyof typeof schemas)[]]): Content {
  const [first, ...others] = names;
  const schema = others.length === 0 ? refTo(first) : { oneOf: names.map(refTo) };
  return { "application/json": { schema } };
}

/** The bodies that are not JSON. */
export const bodies = {
  hits: { "text/plain": { schema: refTo("HitsText") } },
  svg: { "image/svg+xml": { schema: refTo("Svg") } },
  png: { "image/png": { schema: { type: "string", description: "A PNG image." } } },
  lines: { "application/x-ndjson": { schema: refTo("Lines") } },
  text: { "text/plain": { schema: { type: "string" } } },
  script: { "text/javascript": { schema: { type: "string" } } },
  html: { "text/html": { schema: { type: "string" } } },
  atom: { "application/atom+xml": { schema: { type: "string" } } },
} satisfies Record<string, Content>;

/** The headers of successful requests. */
const HEADERS: ResponseObject["headers"] = {
  "Cache-Control": { required: true, schema: { type: "string" } },
  "X-Tallymark": {
    description: "Sent with an unusual response only. `prefetch`, `bot` (a crawler with a key), " +
      "`skip` (sent with `skip=1`) and `other-site` (a page that `HIT_ORIGINS` does not list): " +
      "not counted. `repeat`: this hit was already counted. `camo`: counted, but sent by an image " +
      "proxy, which hides the reader. `stale`: the store is unavailable, and this is the last " +
      "value that was read. `counted`: the hit was counted, but the image could not be drawn. " +
      "The name of a problem: the image shows the problem, or the last known number.",
    schema: {
      type: "string",
      enum: [...HIT_FLAGS, "stale", "counted", ...PROBLEM_NAMES],
    },
  },
};

/** Describes the response of a successful request. */
export function success(description: string, content: Content): Responses {
  return { 200: { description, headers: HEADERS, content } };
}

/** Describes a response that caches revalidate every time. */
export function revalidated(description: string, content: Content = bodies.svg): Responses {
  const headers = { ...HEADERS, ETag: { schema: { type: "string" } } };
  const unchanged = { description: "The copy of the client is up to date.", headers };
  return { 200: { description, headers, content }, 304: unchanged };
}

/** Describes the redirect of a link. */
export function redirect(): Responses {
  const location = { required: true, schema: { type: "string", format: "uri" } };
  const headers = { ...HEADERS, Location: location };
  return { 302: { description: "The address of the link is in `Location`.", headers } };
}

/** Returns the responses with other bodies. */
export function withContent(responses: Responses, content: Content): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      return [status, response.content ? { ...response, content } : response];
    }),
  );
}

/** A problem as RFC 9457 describes it. */
const PROBLEM_JSON: Content = { "application/problem+json": { schema: refTo("Problem") } };
const PROBLEM_TEXT: Content = { "text/plain": { schema: { type: "string", minLength: 1 } } };

/** The bodies of problems by the format of an endpoint's problems. */
const PROBLEM_BODIES = {
  json: PROBLEM_JSON,
  text: PROBLEM_TEXT,
  "json or text": { ...PROBLEM_JSON, ...PROBLEM_TEXT },
  html: bodies.html,
  svg: bodies.svg,
  // Text if the rasterizer could not be loaded.
  png: { ...bodies.png, ...PROBLEM_JSON },
} satisfies Record<string, Content>;

/** The descriptions of problems by status. */
const PROBLEMS: { readonly [status: string]: string } = {
  400: "A bad id, query or body, or a bad Host or Idempotency-Key header.",
  401: "The secret or key is missing or wrong.",
  403: "The group has reached its limit of new counters for today, so the hit was not counted. " +
    "Or the job key does not import the id of a line.",
  409: "The stored value is not a counter, or the counter is full. It is left unchanged. " +
    "With `prefix`: the group has more than 100,000 counters.",
  414: "The query is longer than 8,192 bytes.",
  500: "An unexpected error. The cause is in the log.",
  503: "The store is unavailable, too many requests are waiting, the PNG rasterizer could not be " +
    "loaded, or the service is shutting down. Nothing was changed, so it is safe to retry.",
  504: "The store did not answer in time. The outcome is unknown, and sending a hit again " +
    "may count it twice.",
};

const SECONDS = { type: "integer", minimum: 1 };
/** The headers of a status, next to those of all problems. */
const PROBLEM_HEADERS: { readonly [status: string]: ResponseObject["headers"] } = {
  401: { "WWW-Authenticate": { required: true, schema: { type: "string" } } },
  503: { "Retry-After": { description: "In seconds.", required: true, schema: SECONDS } },
};

/** Describes the problems with the given statuses. */
export function problemResponses(
  statuses: readonly number[],
  format: keyof typeof PROBLEM_BODIES,
): Responses {
  const common = {
    ...HEADERS,
    "X-Tallymark": {
      description: "The name of the problem.",
      required: true,
      schema: { type: "string", enum: PROBLEM_NAMES },
    },
    ...(format === "svg" && { Vary: { required: true, schema: { const: "Accept" } } }),
  };
  return Object.fromEntries(
    Object.entries(PROBLEMS).filter(([status]) => statuses.includes(Number(status)))
      .map(([status, description]) => {
        const headers = { ...common, ...PROBLEM_HEADERS[status] };
        return [status, { description, headers, content: PROBLEM_BODIES[format] }];
      }),
  );
}
