import {
  type Answer,
  type Answers,
  bodies,
  cached,
  fresh,
  problemBodies,
  problems,
  revalidated,
  schemas,
  withoutBodies,
} from "./answers.ts";
import { format, id, ifNoneMatch, jsonLooks, looks, type Parameter } from "./parameters.ts";

/** What one method of a path does. */
export interface Operation {
  operationId: string;
  tags: ("Counters" | "Badges" | "Service")[];
  summary: string;
  description?: string;
  /** Any one of these opens the endpoint; an empty one means that no secret is needed. */
  security: { [scheme: string]: never[] }[];
  responses: Answers;
}

/** The methods of a path, which all take the same parameters. */
export interface PathItem {
  parameters: Parameter[];
  get: Operation;
  head?: Operation;
  post?: Operation;
}

const secret = [{ tokenHeader: [] }, { tokenQuery: [] }, { bearer: [] }];
const secretOrKey = [...secret, { counterKey: [] }];
// Only a standalone server with SECRET_TOKEN set protects its reads.
const openUnlessProtected = [{}, ...secret];
const open = [{}];

const storeProblems = [400, 401, 409, 500, 503, 504];

const paths: { [path: string]: PathItem } = {
  "/hit": {
    parameters: [id],
    get: hit("getHit"),
    post: hit("postHit"),
  },
  "/hit.svg": read([id, ...looks], {
    operationId: "getHitImage",
    tags: ["Counters", "Badges"],
    summary: "Count a hit and show the badge",
    description: "`HEAD` and a prefetch are answered without counting.",
    security: secretOrKey,
    responses: {
      200: fresh("The badge with the new count.", bodies.svg, "prefetch"),
      ...problems(storeProblems, problemBodies.svg),
    },
  }),
  "/count": read([id, format], {
    operationId: "getCount",
    tags: ["Counters"],
    summary: "Read a counter",
    security: openUnlessProtected,
    responses: {
      200: fresh("The count; 0 before the first hit.", { ...bodies.counter, ...bodies.hits }),
      ...problems(storeProblems, { ...problemBodies.json, ...problemBodies.text }),
    },
  }),
  "/count.txt": read([id], {
    operationId: "getCountText",
    tags: ["Counters"],
    summary: "Read a counter as plain text",
    security: openUnlessProtected,
    responses: {
      200: fresh("The count; 0 before the first hit.", bodies.hits),
      ...problems(storeProblems, problemBodies.text),
    },
  }),
  "/badge": read([id, ...looks, ifNoneMatch], {
    operationId: "getBadge",
    tags: ["Badges"],
    summary: "Show a counter as a badge",
    security: openUnlessProtected,
    responses: {
      ...revalidated("The badge.", bodies.svg),
      ...problems(storeProblems, problemBodies.svg),
    },
  }),
  "/badge.json": read([id, ...jsonLooks], {
    operationId: "getBadgeJson",
    tags: ["Badges"],
    summary: "Describe the badge for the endpoint badge of shields.io",
    security: openUnlessProtected,
    responses: {
      200: cached("The badge.", bodies.shieldsBadge),
      ...problems(storeProblems, problemBodies.json),
    },
  }),
  "/key": read([id], {
    operationId: "getKey",
    tags: ["Counters"],
    summary: "Make the counter key of one id",
    security: secret,
    responses: {
      200: fresh("The key.", bodies.key),
      ...problems([400, 401, 500], problemBodies.json),
    },
  }),
  "/openapi.json": page("getOpenApi", "This description", bodies.document),
  "/healthz": page("getHealth", "Tell that the process is alive", bodies.health),
  "/readyz": page("getReadiness", "Tell whether the store answers within 1 s", bodies.health, 503),
  "/": page("getIndex", "Name the service and its endpoints", bodies.text),
};

/** The OpenAPI 3.1 description of every endpoint, the same for every deployment. */
export const openapi = {
  openapi: "3.1.0",
  info: {
    title: "Tallymark",
    version: "1.0.0",
    summary: "Hit counters and badges.",
    description: "Unknown parameters are ignored; one that is given twice is a 400. " +
      "What only shapes a badge falls back to its default where it is not understood. " +
      "An unknown path is a 404, and a method that is not listed a 405 with `Allow`. " +
      "`OPTIONS` answers CORS preflight where reads are public.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/" }],
  tags: [
    { name: "Counters", description: "Count a hit, read a count." },
    { name: "Badges", description: "Counts to look at." },
    { name: "Service", description: "The service itself." },
  ],
  paths,
  components: {
    schemas,
    securitySchemes: {
      tokenHeader: { type: "apiKey", in: "header", name: "X-Auth-Token" },
      tokenQuery: { type: "apiKey", in: "query", name: "token" },
      bearer: { type: "http", scheme: "bearer" },
      counterKey: {
        type: "apiKey",
        in: "query",
        name: "key",
        description: "A counter key from `/key`. It may stand in public: it counts one id only.",
      },
    },
  },
};

function hit(operationId: string): Operation {
  return {
    operationId,
    tags: ["Counters"],
    summary: "Count a hit",
    description: "A prefetch is answered without counting.",
    security: secretOrKey,
    responses: {
      200: fresh("Counted: the new count.", bodies.counter, "prefetch"),
      ...problems(storeProblems, problemBodies.json),
    },
  };
}

/** A page that tells of the service itself, and the statuses that only it has. */
function page(
  operationId: string,
  summary: string,
  content: NonNullable<Answer["content"]>,
  ...statuses: number[]
): PathItem {
  const responses = {
    200: { description: "What was asked for.", headers: {}, content },
    ...problems([400, 500, ...statuses], problemBodies.json),
  };
  return read([], { operationId, tags: ["Service"], summary, security: open, responses });
}

/** A path that is read with GET, and with HEAD for the same answer without a body. */
function read(parameters: Parameter[], get: Operation): PathItem {
  const head: Operation = {
    ...get,
    operationId: get.operationId.replace("get", "head"),
    summary: `${get.summary}: the headers only`,
    responses: withoutBodies(get.responses),
  };
  return { parameters, get, head };
}
