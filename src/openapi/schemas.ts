import { PERIODS } from "../counter/calendar.ts";

/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = { readonly [keyword: string]: unknown };

const KEY = { type: "string", pattern: "^[A-Za-z0-9_-]{22}$" };

const SOURCE = { enum: ["redis", "deno-kv", "memory"], description: "The kind of the store." };

const DECISIONS = {
  type: "array",
  maxItems: 100,
  items: {
    type: "object",
    properties: {
      time: { type: "string", format: "date-time" },
      id: { type: "string", description: "Missing if the request named no valid id." },
      outcome: {
        type: "string",
        description: "`counted`, why the hit was not counted, or the name of the problem.",
        examples: ["counted", "prefetch", "unauthorized"],
      },
    },
    required: ["time", "outcome"],
    additionalProperties: false,
  },
};

/** Everything that JSON, text and images hold, for `components.schemas`. */
export const schemas = {
  Counter: record(
    "A counter and where its value comes from.",
    {
      id: { type: "string", examples: ["home"] },
      hits: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [42] },
      source: SOURCE,
    },
    { period: { enum: PERIODS, description: "The period, if one was requested." } },
  ),
  FamilySum: record(
    "The sum of all counters whose ids begin with a prefix, at most 10 s old.",
    {
      prefix: { type: "string", pattern: "/$", examples: ["blog/"] },
      hits: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [345] },
      counters: { type: "integer", minimum: 0, maximum: 100_000, examples: [12] },
      source: SOURCE,
    },
    { period: { enum: PERIODS, description: "The period, if one was requested." } },
  ),
  Counts: record(
    "Several counters by their ids, and where their values come from.",
    {
      counts: {
        type: "object",
        additionalProperties: {
          type: ["integer", "null"],
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
        },
        examples: [{ a: 12, b: 0 }],
      },
      source: SOURCE,
    },
    { period: { enum: PERIODS, description: "The period, if one was requested." } },
  ),
  Top: record("The counters of a family with the most hits.", {
    prefix: { type: "string", pattern: "/$", examples: ["blog/"] },
    period: { enum: PERIODS },
    counters: {
      type: "array",
      maxItems: 100,
      items: record("A counter and its hits in the period.", {
        id: { type: "string", examples: ["blog/a"] },
        hits: { type: "integer", minimum: 0, examples: [120] },
      }),
    },
    source: SOURCE,
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
  Key: record("A counter key: it counts this counter only.", {
    id: { type: "string", examples: ["home"] },
    key: KEY,
  }),
  FamilyKey: record("A family key: it counts every counter whose id begins with this prefix.", {
    prefix: { type: "string", pattern: "/$", examples: ["blog/"] },
    key: KEY,
  }),
  Line: {
    type: "object",
    description: "A counter: its total, and the hits of each day as far as they are known.",
    properties: {
      id: { type: "string", examples: ["home"] },
      hits: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [41] },
      days: {
        type: "object",
        propertyNames: { format: "date" },
        additionalProperties: { type: "integer", minimum: 0 },
        examples: [{ "2026-11-19": 12, "2026-11-20": 7 }],
      },
    },
    required: ["hits"],
    additionalProperties: false,
  },
  Lines: {
    type: "string",
    description:
      "One `Line` with an id per line. With `mode=max`, a line may leave out `hits`: the total then " +
      'grows by as much as the days grow. The last line of an export is `{"counters":N}`; ' +
      "`foreign` in it is the number of keys whose value is not a counter.",
  },
  Imported: {
    type: "object",
    description: "How many counters were imported or, with `dry=1`, what would change.",
    properties: {
      counters: { type: "integer", minimum: 0 },
      changed: { type: "integer", minimum: 0, description: "How many would change." },
      changes: {
        type: "array",
        description: "The first 1,000 of them.",
        items: record("A counter that would change.", {
          id: { type: "string" },
          before: { type: "integer", minimum: 0 },
          after: { type: "integer", minimum: 0 },
        }),
      },
    },
    required: ["counters"],
    additionalProperties: false,
  },
  Days: record("The hits of each day.", {
    total: { type: "integer", minimum: 0, examples: [41] },
    timeZone: { type: "string", description: "The time zone of the days.", examples: ["UTC"] },
    days: {
      type: "array",
      items: record("A day and its hits.", {
        day: { type: "string", format: "date", examples: ["2026-11-20"] },
        hits: { type: "integer", minimum: 0, examples: [7] },
      }),
    },
  }, {
    id: { type: "string", description: "The counter, if it is one.", examples: ["home"] },
    prefix: {
      type: "string",
      description: "The family, if it is one.",
      pattern: "/$",
      examples: ["blog/"],
    },
  }),
  Decisions: record("What became of the last hits.", {
    decisions: { ...DECISIONS, description: "Hits that a key or the secret authorized." },
    rejected: { ...DECISIONS, description: "Requests that were rejected. Anyone can send these." },
  }, {
    warnings: {
      type: "array",
      items: { type: "string" },
      description: "The settings of Redis with which it may lose counters.",
    },
  }),
  Session: record(
    "A token that is accepted as Bearer like the secret, except on /hit, /hit.svg and /session.",
    {
      token: { type: "string", pattern: "^s1\\.[0-9]+\\.[A-Za-z0-9_-]{43}$" },
      expires: { type: "string", format: "date-time" },
    },
  ),
  Health: record("The process is alive.", { status: { const: "ok" } }),
  Readiness: {
    type: "object",
    description: "The store responds.",
    properties: {
      status: { const: "ok" },
      away: {
        type: "array",
        minItems: 1,
        items: { type: "string" },
        description: "The shards of the store that are unavailable, if there are any.",
      },
    },
    required: ["status"],
    additionalProperties: false,
  },
  Problem: {
    type: "object",
    description: "An error, as described in RFC 9457.",
    properties: {
      type: { type: "string", format: "uri-reference" },
      title: { type: "string", minLength: 1 },
      status: { type: "integer", minimum: 400, maximum: 599 },
      detail: { type: "string", minLength: 1, description: "A sentence for the caller." },
    },
    required: ["type", "title", "status", "detail"],
  },
} satisfies Record<string, Schema>;

/** An object of exactly these properties, and perhaps some of the others. */
function record(
  description: string,
  properties: { [name: string]: Schema },
  others: { [name: string]: Schema } = {},
): Schema {
  return {
    type: "object",
    description,
    properties: { ...properties, ...others },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
