import type { Remark as HitRemark } from "../hits/hit_policy.ts";
import { UNCACHED_IMAGE } from "../http/answer.ts";
import { PROBLEM_NAMES } from "../problem.ts";
import type { schemas } from "./document.ts";

/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = { readonly [keyword: string]: unknown };

/** A schema of `components.schemas`. */
export function schemaRef(name: keyof typeof schemas): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** What is said of an endpoint beyond what it is run by. */
export interface Description {
  /** Behind the method, the name of the operation. */
  name: string;
  tags: ("Counters" | "Badges" | "Owners" | "Service")[];
  /** More than its summary says. */
  description?: string;
  /** The body that it takes. */
  body?: Content;
  /** The headers that it looks at. */
  headers?: ParameterObject[];
  /** What it answers where all goes well. */
  answers: Answers;
  /** The statuses of problems that it has beside those of every endpoint. */
  problems?: readonly number[];
}

/** One parameter of an operation. All are optional. */
export interface ParameterObject {
  name: string;
  in: "query" | "header";
  description: string;
  schema: Schema;
}

/** The statuses of problems that an endpoint has which asks the store, and those of one that counts hits. */
export const STORE_PROBLEMS: readonly number[] = [409, 503, 504];
export const HIT_PROBLEMS: readonly number[] = [403, ...STORE_PROBLEMS];
export const HIT_REMARKS = ["prefetch", "bot", "repeat", "camo"] as const;

/** The tag of the answer that the caller already has. */
export const IF_NONE_MATCH: ParameterObject = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of an earlier response.",
  schema: { type: "string" },
};

/** One answer of an endpoint: the description of its headers and of its body in every media type. */
export interface Answer {
  description: string;
  headers: { [name: string]: { description?: string; required?: boolean; schema: Schema } };
  /** Left out where no body is sent. */
  content?: Content;
}

/** The bodies of an answer by media type. */
export type Content = { [mediaType: string]: { schema: Schema } };

/** The answers of an endpoint by status. */
export type Answers = { [status: string]: Answer };

/** The bodies of answers that went well. */
export const bodies = {
  counter: { "application/json": { schema: schemaRef("Counter") } },
  count: {
    "application/json": { schema: { oneOf: [schemaRef("Counter"), schemaRef("FamilySum")] } },
  },
  counts: { "application/json": { schema: schemaRef("Counts") } },
  top: { "application/json": { schema: schemaRef("Top") } },
  hits: { "text/plain": { schema: schemaRef("HitsText") } },
  svg: { "image/svg+xml": { schema: schemaRef("Svg") } },
  shieldsBadge: { "application/json": { schema: schemaRef("ShieldsBadge") } },
  key: { "application/json": { schema: { oneOf: [schemaRef("Key"), schemaRef("FamilyKey")] } } },
  line: { "application/json": { schema: schemaRef("Line") } },
  lines: { "application/x-ndjson": { schema: schemaRef("Lines") } },
  imported: { "application/json": { schema: schemaRef("Imported") } },
  days: { "application/json": { schema: schemaRef("Days") } },
  decisions: { "application/json": { schema: schemaRef("Decisions") } },
  session: { "application/json": { schema: schemaRef("Session") } },
  health: { "application/json": { schema: schemaRef("Health") } },
  readiness: { "application/json": { schema: schemaRef("Readiness") } },
  document: { "application/json": { schema: { type: "object" } } },
  text: { "text/plain": { schema: { type: "string" } } },
  script: { "text/javascript": { schema: { type: "string" } } },
  html: { "text/html": { schema: { type: "string" } } },
} satisfies Record<string, Content>;

/** What `X-Tallymark` says of an answer that is not what the request usually gives; `problem` stands for all problems. */
type Remark = HitRemark | "stale" | "problem";

const REMARKS: Record<Remark, { values: readonly string[]; meaning: string }> = {
  prefetch: { values: ["prefetch"], meaning: "`prefetch`: a prefetch, not counted." },
  bot: { values: ["bot"], meaning: "`bot`: a crawler with a key, not counted." },
  repeat: { values: ["repeat"], meaning: "`repeat`: this hit was already counted." },
  camo: {
    values: ["camo"],
    meaning: "`camo`: counted, but sent by an image proxy, which hides the reader.",
  },
  stale: {
    values: ["stale"],
    meaning: "`stale`: the store is unavailable, and this is the last value that was read.",
  },
  problem: {
    values: PROBLEM_NAMES,
    meaning: "The name of a problem: the image shows the problem, or the last known number.",
  },
};

/** An answer that no cache may keep. */
export function fresh(description: string, content: Content, ...remarks: Remark[]): Answer {
  return { description, headers: { ...NO_STORE, ...remarkOf(remarks) }, content };
}

/** An answer that caches may keep for as long as the caller asked. */
export function cached(description: string, content: Content): Answer {
  const control = cacheControl({ pattern: "^(max-age=[0-9]+|no-store|private, no-store)$" });
  return { description, headers: { ...control, ...remarkOf(["stale"]) }, content };
}

/** An image that is to be fetched each time. */
export function uncached(description: string, ...remarks: Remark[]): Answer {
  const headers = { ...cacheControl({ const: UNCACHED_IMAGE }), ...remarkOf(remarks) };
  return { description, headers, content: bodies.svg };
}

/** An image that caches may keep for an hour. */
export function keptImage(description: string): Answer {
  const control = cacheControl({ enum: ["max-age=3600", UNCACHED_IMAGE] });
  return { description, headers: { ...control, ...remarkOf(["problem"]) }, content: bodies.svg };
}

/** The answers of an image that caches keep but ask for every time. */
export function revalidated(description: string): Answers {
  const control = "no-cache, max-age=0, must-revalidate";
  const controls = [control, UNCACHED_IMAGE, "no-store", "private, no-store"];
  const headers = {
    ...cacheControl({ enum: controls }),
    ETag: { schema: { type: "string" } },
    ...remarkOf(["stale", "problem"]),
  };
  return { 200: { description, headers, content: bodies.svg }, 304: unchanged(control) };
}

/** The answers of a text that stays the same while the process runs. */
export function cachedText(description: string, content: Content, control: string): Answers {
  const notModified = unchanged(control);
  return { 200: { ...notModified, description, content }, 304: notModified };
}

/** The answer that the copy of the caller is up to date. */
function unchanged(control: string): Answer {
  return {
    description: "The copy of the client is up to date.",
    headers: {
      ...cacheControl({ const: control }),
      ETag: { required: true, schema: { type: "string" } },
    },
  };
}

/** The same answers as HEAD gives them. */
export function withoutBodies(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, headers }]) => {
      return [status, { description, headers }];
    }),
  );
}

/** A `Cache-Control` header that is always sent. */
function cacheControl(schema: Schema): Answer["headers"] {
  return { "Cache-Control": { required: true, schema: { type: "string", ...schema } } };
}

const NO_STORE = cacheControl({ enum: ["no-store", "private, no-store"] });

/** An `X-Tallymark` header, sent only where an answer is not what the request usually gives. */
function remarkOf(remarks: readonly Remark[]): Answer["headers"] {
  if (remarks.length === 0) return {};
  const description = remarks.map((remark) => REMARKS[remark].meaning).join(" ");
  const values = remarks.flatMap((remark) => REMARKS[remark].values);
  return { "X-Tallymark": { description, schema: { type: "string", enum: values } } };
}

/** An endpoint that tells of the service itself. */
export function service(
  name: string,
  { content, problems = [] }: { content: Content; problems?: readonly number[] },
): Description {
  const answers = { 200: { description: "OK.", headers: {}, content } };
  return { name, tags: ["Service"], answers, problems };
}

/** How an endpoint fails: in words of one form or of the one that was asked for, or in pictures. */
export type ProblemForm = "json" | "text" | "json or text" | "svg";

/** The bodies of problems: RFC 9457, or what a reader of plain text or of images can show. */
const problemBodies: Record<ProblemForm, Content> = {
  json: { "application/problem+json": { schema: schemaRef("Problem") } },
  text: { "text/plain": { schema: { type: "string", minLength: 1 } } },
  "json or text": {
    "application/problem+json": { schema: schemaRef("Problem") },
    "text/plain": { schema: { type: "string", minLength: 1 } },
  },
  svg: bodies.svg,
};

const string = { type: "string" };

const PROBLEMS: { [status: string]: Pick<Answer, "description"> & Partial<Answer> } = {
  400: { description: "A bad id, query or body, or a bad Host or Idempotency-Key header." },
  401: {
    description: "The secret or key is missing or wrong.",
    headers: { "WWW-Authenticate": { required: true, schema: string } },
  },
  403: {
    description: "The family has reached its limit of new counters for today. Not counted.",
  },
  409: {
    description:
      "The stored value is not a counter, or the counter is full. It is left unchanged. " +
      "With `prefix`: the family has more than 100,000 counters.",
  },
  414: { description: "The query is longer than 8,192 bytes." },
  500: { description: "An unexpected error. The cause is in the log." },
  503: {
    description: "The store is unavailable, too many requests are waiting, or the service is " +
      "shutting down. Nothing was changed, so it is safe to retry.",
    headers: {
      "Retry-After": {
        description: "In seconds.",
        required: true,
        schema: { type: "integer", minimum: 1 },
      },
    },
  },
  504: {
    description:
      "The store did not answer in time. The outcome is unknown, and sending a hit again " +
      "may count it twice.",
  },
};

/** The answers to requests that fail with one of the given statuses. */
export function problems(statuses: readonly number[], form: ProblemForm): Answers {
  const control = form === "svg" ? { const: UNCACHED_IMAGE } : { const: "no-store" };
  const common = {
    ...cacheControl(control),
    "X-Tallymark": {
      description: "The name of the problem.",
      required: true,
      schema: { type: "string", enum: PROBLEM_NAMES },
    },
    ...(form === "svg" && { Vary: { required: true, schema: { const: "Accept" } } }),
  };
  return Object.fromEntries(
    Object.entries(PROBLEMS)
      .filter(([status]) => statuses.includes(Number(status)))
      .map(([status, { description, headers }]) => [
        status,
        { description, headers: { ...common, ...headers }, content: problemBodies[form] },
      ]),
  );
}
