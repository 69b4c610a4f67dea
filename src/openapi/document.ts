import { type AccessLevel, LEVELS } from "../auth/access.ts";
import type { Description, ParameterObject, Responses, Route } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { bodies, problemResponses } from "./responses.ts";
import { schemas } from "./schemas.ts";

/** An operation: one method of a path. */
export type Operation = ReturnType<typeof operationOf>;

/** The operations of a path by their methods, in small letters. */
export type PathItem = { [method: string]: Operation };

/** The security schemes of the credentials that have one. */
const SCHEMES: Readonly<Record<string, readonly string[]>> = {
  "secret": ["tokenHeader", "bearer"],
  "counter key": ["counterKey"],
  "group key": ["counterKey"],
  "read key": ["readKey"],
};

/**
 * Returns the credentials of an access level, any one of which opens an endpoint. An empty one
 * means that none is required, or none while reads are open.
 */
function securityOf(access: AccessLevel): { [scheme: string]: never[] }[] {
  return LEVELS[access].opensWith.flatMap((credential) =>
    credential === "none" ? [{}] : (SCHEMES[credential] ?? []).map((scheme) => ({ [scheme]: [] }))
  );
}

/** The version of the interface that the specification states, not that of the service. */
const INTERFACE_VERSION = "1.0.0";

const SECRET_SHOWN =
  "The secret. A client that cannot send a header may use `token=` in the query, but the logs " +
  "of proxies record queries.";

const KEY = { type: "apiKey", in: "query", name: "key" };

/**
 * Returns the OpenAPI 3.1 document of a route table.
 *
 * @example
 * ```ts
 * const { paths } = describeRoutes(createApp(options).routes);
 * ```
 */
export function describeRoutes(routes: readonly Route[]) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tallymark",
      version: INTERFACE_VERSION,
      summary: "Hit counters and badges.",
      description:
        "Unknown parameters are ignored. A known parameter that appears twice is a 400. " +
        "Invalid values of what only shapes an image fall back to the default. " +
        "An unknown path is a 404, for a browser a page, and an unsupported method is a 405 with `Allow`. " +
        "`HEAD` answers as `GET` does, without the body and without counting, except where it is a 405. " +
        "A response with an `ETag` is a 304 for a client that sends it in `If-None-Match`. " +
        "`OPTIONS` answers CORS preflight requests where reads are public. " +
        "Image endpoints draw errors: with status 200 if `Accept` names an image type and not " +
        "`text/html`, and with the status of the error otherwise.",
      license: { name: "MIT", identifier: "MIT" },
    },
    // Relative to this document, which a proxy may serve below a path.
    servers: [{ url: "." }],
    tags: [
      { name: "Counters", description: "Count hits and read counts." },
      { name: "Badges", description: "Counts as images." },
      { name: "Owners", description: "Set, delete, import and export counters." },
      { name: "Service", description: "The service itself." },
    ],
    paths: pathsOf(routes),
    components: {
      schemas,
      securitySchemes: {
        tokenHeader: {
          type: "apiKey",
          in: "header",
          name: "X-Auth-Token",
          description: SECRET_SHOWN,
        },
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "The secret, or the token of a session from `/session`, which works like the " +
            "secret except for hits and `/session` itself. `GET /metrics`, `GET /counters` and " +
            "`POST /counters` also accept their job keys from `/key?job=`.",
        },
        counterKey: {
          ...KEY,
          description:
            "A counter key from `/key`. It may be public: it counts its own counter, or counts " +
            "and lists those of its group.",
        },
        readKey: {
          ...KEY,
          description:
            "A read key from `/key?read=`. It opens the reads of its group and is not public.",
        },
      },
    },
  };
}

function pathsOf(routes: readonly Route[]): { [path: string]: PathItem } {
  const paths: { [path: string]: PathItem } = {};
  for (const route of routes) {
    const { path, methods, openapi } = route;
    if (openapi === undefined) continue;
    const item = paths[path] ??= {};
    for (const method of methods.filter((method) => !["HEAD", "OPTIONS"].includes(method))) {
      item[method.toLowerCase()] = operationOf(route, { method, openapi });
    }
  }
  return paths;
}

function operationOf(route: Route, { method, openapi }: { method: string; openapi: Description }) {
  const { summary, description, parameters, body, access } = route;
  const { name, tag, headers = [] } = openapi;
  return {
    operationId: `${method.toLowerCase()}${name}`,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    parameters: [...parameters.map(inQuery), ...headers],
    ...(body !== undefined && { requestBody: { required: true, content: body } }),
    security: securityOf(access),
    responses: responsesOf(route, openapi),
  };
}

function responsesOf(
  { access, errors = "json", drawProblem }: Route,
  { responses, problems = [] }: Description,
): Responses {
  const statuses = [400, ...(access === "anyone" ? [] : [401]), 414, 500, ...problems];
  const imageFormat = responses[200]?.content === bodies.png ? "png" : "svg";
  const textFormat = typeof errors === "function" ? "json or text" : errors;
  return {
    ...responses,
    ...problemResponses(statuses, drawProblem === undefined ? textFormat : imageFormat),
  };
}

function inQuery({ name, meaning, schema, maxTimes }: Parameter): ParameterObject {
  return {
    name,
    in: "query",
    description: meaning,
    schema: maxTimes === undefined
      ? { ...schema }
      : { type: "array", items: { ...schema }, minItems: 1, maxItems: maxTimes },
  };
}
