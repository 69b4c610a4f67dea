import type { AccessLevel } from "../auth/access.ts";
import type { RoutedEndpoint } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import * as parts from "./answers.ts";
import type { Answers, Content, Description, ParameterObject, ProblemForm } from "./answers.ts";
import { schemas } from "./schemas.ts";

/** What one method of a path does. */
export interface Operation {
  operationId: string;
  tags: Description["tags"];
  summary: string;
  description?: string;
  parameters: ParameterObject[];
  requestBody?: { required: true; content: Content };
  /** Any one of these opens the endpoint; an empty one means that no secret is needed. */
  security: { [scheme: string]: never[] }[];
  responses: Answers;
}

/** The operations of a path by their methods, in small letters. */
export type PathItem = { [method: string]: Operation };

const secret = [{ tokenHeader: [] }, { bearer: [] }];

/** What opens an endpoint. Only a standalone server with SECRET_TOKEN set protects its reads. */
const SECURITY: Record<AccessLevel, Operation["security"]> = {
  anyone: [{}],
  reader: [{}, ...secret],
  keyholder: [...secret, { counterKey: [] }],
  family: [...secret, { counterKey: [] }],
  owner: secret,
  secretholder: secret,
};

const SECRET_SHOWN =
  "The secret. A client that cannot send a header may use `token=` in the query, but the logs " +
  "of proxies record queries.";

/** The OpenAPI 3.1 description of endpoints. */
export function describe(endpoints: readonly RoutedEndpoint[]) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tallymark",
      version: "1.0.0",
      summary: "Hit counters and badges.",
      description:
        "Unknown parameters are ignored. A known parameter that appears twice is a 400. " +
        "Invalid values of what only shapes an image fall back to the default. " +
        "An unknown path is a 404, and an unsupported method is a 405 with `Allow`. " +
        "`OPTIONS` answers CORS preflight requests where reads are public. " +
        "Image endpoints draw errors: with status 200 if `Accept` names an image type and not " +
        "`text/html`, and with the status of the error otherwise.",
      license: { name: "MIT", identifier: "MIT" },
    },
    // Relative to this document, which may lie behind a prefix.
    servers: [{ url: "." }],
    tags: [
      { name: "Counters", description: "Count hits and read counts." },
      { name: "Badges", description: "Counts as images." },
      { name: "Owners", description: "Set, delete, import and export counters." },
      { name: "Service", description: "The service itself." },
    ],
    paths: pathsOf(endpoints),
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
            "secret except for hits and `/session` itself.",
        },
        counterKey: {
          type: "apiKey",
          in: "query",
          name: "key",
          description:
            "A counter key from `/key`. It may be public: it counts its own counter or family only.",
        },
      },
    },
  };
}

function pathsOf(endpoints: readonly RoutedEndpoint[]): { [path: string]: PathItem } {
  const paths: { [path: string]: PathItem } = {};
  for (const endpoint of endpoints) {
    const { describe } = endpoint;
    if (describe === undefined) continue;
    const operations = endpoint.methods
      .filter((method) => method !== "OPTIONS")
      .map((method) => [method.toLowerCase(), operationOf(endpoint, { method, describe })]);
    paths[endpoint.path] = { ...paths[endpoint.path], ...Object.fromEntries(operations) };
  }
  return paths;
}

function operationOf(
  endpoint: RoutedEndpoint,
  { method, describe }: { method: string; describe: (these: typeof parts) => Description },
): Operation {
  const { summary, parameters, access } = endpoint;
  const description = describe(parts);
  const { name, tags, description: more, headers = [], body } = description;
  const responses = responsesOf(endpoint, description);
  const isHead = method === "HEAD";
  return {
    operationId: `${method.toLowerCase()}${name}`,
    tags,
    summary: isHead ? `${summary} (headers only)` : summary,
    ...(more !== undefined && { description: more }),
    parameters: [...parameters.map(inQuery), ...headers],
    ...(body !== undefined && { requestBody: { required: true, content: body } }),
    security: SECURITY[access],
    responses: isHead ? parts.withoutBodies(responses) : responses,
  };
}

function responsesOf(
  { access, errors }: RoutedEndpoint,
  { answers, problems: more = [] }: Description,
): Answers {
  const statuses = [400, ...(access === "anyone" ? [] : [401]), 414, 500, ...more];
  const form: ProblemForm = typeof errors === "function" ? "json or text" : errors;
  return { ...answers, ...parts.problems(statuses, form) };
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
