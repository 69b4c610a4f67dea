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
  "The secret. Where no header can be sent, `token=` in the query does the same; " +
  "a query ends up in the logs of proxies.";

/** The OpenAPI 3.1 description of endpoints. */
export function describe(endpoints: readonly RoutedEndpoint[]) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tallymark",
      version: "1.0.0",
      summary: "Hit counters and badges.",
      description: "Unknown parameters are ignored; a known one that is given twice is a 400. " +
        "What only shapes a badge falls back to its default where it is not understood. " +
        "An unknown path is a 404, and a method that is not listed a 405 with `Allow`. " +
        "`OPTIONS` answers CORS preflight where reads are public. " +
        "A problem on an image endpoint is a picture: with 200 for a request whose `Accept` names " +
        "an image type and no `text/html`, with its own status for all others.",
      license: { name: "MIT", identifier: "MIT" },
    },
    // Relative to this document, which may lie behind a prefix.
    servers: [{ url: "." }],
    tags: [
      { name: "Counters", description: "Count a hit, read a count." },
      { name: "Badges", description: "Counts to look at." },
      { name: "Owners", description: "Set, remove, carry over and take out counters." },
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
          description: "The secret, as `Bearer`. The token of a session from `/session` does the " +
            "same except for hits and `/session`.",
        },
        counterKey: {
          type: "apiKey",
          in: "query",
          name: "key",
          description:
            "A counter key from `/key`. It may stand in public: it counts its id or family only.",
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
    summary: isHead ? `${summary}: the headers only` : summary,
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
