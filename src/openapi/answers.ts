/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = { readonly [keyword: string]: unknown };

/** One answer of an endpoint: the description of its headers and of its body in every media type. */
export interface Answer {
  description: string;
  headers: { [name: string]: { description?: string; required?: boolean; schema: Schema } };
  /** Left out where no body is sent. */
  content?: { [mediaType: string]: { schema: Schema } };
}

/** The answers of an endpoint by status. */
export type Answers = { [status: string]: Answer };

type Content = NonNullable<Answer["content"]>;

/** The bodies of answers that went well. */
export const bodies = {
  counter: { "application/json": { schema: reference("Counter") } },
  hits: { "text/plain": { schema: reference("HitsText") } },
  svg: { "image/svg+xml": { schema: reference("Svg") } },
  shieldsBadge: { "application/json": { schema: reference("ShieldsBadge") } },
  key: { "application/json": { schema: reference("Key") } },
  health: { "application/json": { schema: reference("Health") } },
  document: { "application/json": { schema: { type: "object" } } },
  text: { "text/plain": { schema: { type: "string" } } },
};

/** The bodies of problems: RFC 9457, or what a reader of plain text or of images can show. */
export const problemBodies = {
  json: { "application/problem+json": { schema: reference("Problem") } },
  text: { "text/plain": { schema: { type: "string", minLength: 1 } } },
  svg: bodies.svg,
};

/** Everything that JSON, text and images hold, for `components.schemas`. */
export const schemas = {
  Counter: record("A counter and where its value came from.", {
    id: { type: "string", examples: ["home"] },
    hits: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [42] },
    source: { enum: ["redis", "deno-kv", "memory"], description: "The kind of the store." },
  }),
  HitsText: { type: "string", pattern: "^[0-9]{1,16}\\n?$", examples: ["42"] },
  ShieldsBadge: record("What the endpoint badge of shields.io reads.", {
    schemaVersion: { const: 1 },
    label: { type: "string", examples: ["views"] },
    message: { type: "string", minLength: 1, description: "The count.", examples: ["42"] },
    color: { type: "string", pattern: "^#?[0-9a-z]+$", examples: ["blue"] },
    cacheSeconds: { type: "integer", minimum: 30, maximum: 3600, examples: [60] },
  }),
  Svg: { type: "string", pattern: "^<svg[ >]" },
  Key: record("A counter key: it opens this id only.", {
    id: { type: "string", examples: ["home"] },
    key: { type: "string", pattern: "^[A-Za-z0-9_-]{22}$" },
  }),
  Health: record("The service is well.", { status: { const: "ok" } }),
  Problem: {
    type: "object",
    description: "What went wrong, as RFC 9457 has it.",
    properties: {
      type: { type: "string", format: "uri-reference" },
      title: { type: "string", minLength: 1 },
      status: { type: "integer", minimum: 400, maximum: 599 },
      detail: { type: "string", minLength: 1, description: "A sentence for the caller." },
    },
    required: ["type", "title", "status", "detail"],
  },
};

type Remark = "prefetch" | "stale";

const noStore = cacheControl({ enum: ["no-store", "private, no-store"] });

const problemsByStatus: Answers = {
  400: { description: "A bad id, query or Host header.", headers: noStore },
  401: {
    description: "No secret or a wrong one: the answer is the same for both.",
    headers: { ...noStore, "WWW-Authenticate": { required: true, schema: { type: "string" } } },
  },
  409: {
    description: "What the store holds under this id is not a counter, or the counter is full. " +
      "It is left as it was.",
    headers: noStore,
  },
  500: { description: "An unexpected error: the log has its cause.", headers: noStore },
  503: {
    description: "The store does not take requests, or too many wait. Nothing was counted.",
    headers: {
      ...noStore,
      "Retry-After": {
        description: "Seconds.",
        required: true,
        schema: { type: "integer", minimum: 1 },
      },
    },
  },
  504: {
    description: "The store got the request and did not answer in time. A hit may be counted.",
    headers: noStore,
  },
};

/** The answers to requests that fail with one of the given statuses, in one kind of body. */
export function problems(statuses: number[], content: Content): Answers {
  return Object.fromEntries(
    Object.entries(problemsByStatus)
      .filter(([status]) => statuses.includes(Number(status)))
      .map(([status, answer]) => [status, { ...answer, content }]),
  );
}

/** An answer that no cache may keep, with the remarks that `X-Tallymark` may hold. */
export function fresh(description: string, content: Content, ...remarks: Remark[]): Answer {
  const headers = remarks.length === 0 ? noStore : { ...noStore, ...remark(...remarks) };
  return { description, headers, content };
}

/** An answer that caches may keep for as long as the caller asked. */
export function cached(description: string, content: Content): Answer {
  const control = cacheControl({ pattern: "^(max-age=[0-9]+|no-store|private, no-store)$" });
  return { description, headers: { ...control, ...remark("stale") }, content };
}

/** The answers of what caches keep but ask for every time. */
export function revalidated(description: string, content: Content): Answers {
  const control = "no-cache, max-age=0, must-revalidate";
  const etag = { schema: { type: "string" } };
  return {
    200: {
      description,
      headers: {
        ...cacheControl({ enum: [control, "no-store", "private, no-store"] }),
        ETag: etag,
        ...remark("stale"),
      },
      content,
    },
    304: {
      description: "The caller's copy is still right.",
      headers: { ...cacheControl({ const: control }), ETag: { ...etag, required: true } },
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

/** An `X-Tallymark` header, sent only where the number is not what the request usually gives. */
function remark(...values: Remark[]): Answer["headers"] {
  const meanings = {
    prefetch: "`prefetch`: answered without counting.",
    stale: "`stale`: the store is away, this is the last value read.",
  };
  const description = values.map((value) => meanings[value]).join(" ");
  return { "X-Tallymark": { description, schema: { type: "string", enum: values } } };
}

function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object of exactly these properties. */
function record(description: string, properties: { [name: string]: Schema }): Schema {
  const required = Object.keys(properties);
  return { type: "object", description, properties, required, additionalProperties: false };
}
