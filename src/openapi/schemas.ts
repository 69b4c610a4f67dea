import type { Schema } from "../http/endpoint.ts";
import { PERIODS } from "../domain/calendar.ts";

const ID = { type: "string", examples: ["home"] };
const PREFIX = { type: "string", pattern: "/$", examples: ["blog/"] };
const HITS = { type: "integer", minimum: 0, maximum: 2 ** 52, examples: [42] };
const NUMBER = { type: "integer", minimum: 0 };
const KEY = { type: "string", pattern: "^[A-Za-z0-9_-]{22}$" };
const VERSION = { version: { ...NUMBER, minimum: 2, description: "The version, from 2 on." } };
const TIME = { type: "string", format: "date-time" };
const SOURCE = { enum: ["redis", "deno-kv", "memory"], description: "The kind of the store." };
const TIME_ZONE = { type: "string", description: "The time zone of days.", examples: ["UTC"] };
const PERIOD = { enum: PERIODS, description: "The period, if one was requested." };

const RANKED = record("A counter and its hits in the period.", { id: ID, hits: NUMBER });
const DAY = record("A day and its hits.", {
  day: { type: "string", format: "date", examples: ["2026-11-20"] },
  hits: NUMBER,
});

const REPORT = {
  seen: {
    type: ["integer", "null"],
    description: "The total of another service in the last report. `null` if there is none.",
    minimum: 0,
    maximum: 2 ** 52,
  },
  at: { ...TIME, description: "The time of `seen`." },
};

const DECISIONS = listOf(
  record("A request for a hit.", {
    time: TIME,
    outcome: {
      type: "string",
      description: "`counted`, why the hit was not counted, or the name of the problem.",
      examples: ["counted", "prefetch", "unauthorized"],
    },
  }, {
    id: { type: "string", description: "Missing if the request named no valid id." },
    crawler: { type: "string", description: "What shows that a robot sent it, such as its name." },
    earlierKey: { const: true, description: "The key was made with an earlier secret." },
  }),
  { maxItems: 100 },
);

/** The content of all JSON, text and images, for `components.schemas`. */
export const schemas = {
  Counter: record(
    "A counter and where its value comes from.",
    { id: ID, hits: HITS, source: SOURCE },
    { period: PERIOD },
  ),
  GroupSum: record(
    "The sum of all counters whose ids begin with a prefix, at most 10 s old.",
    { prefix: PREFIX, hits: HITS, counters: { ...NUMBER, maximum: 100_000 }, source: SOURCE },
    { period: PERIOD },
  ),
  Counts: record("Several counters by their ids, and where their values come from.", {
    counts: {
      type: "object",
      additionalProperties: { ...HITS, type: ["integer", "null"] },
      examples: [{ a: 12, b: 0 }],
    },
    source: SOURCE,
  }, { period: PERIOD }),
  Top: record("The counters of a group with the most hits.", {
    prefix: PREFIX,
    period: { enum: PERIODS },
    counters: listOf(RANKED, { maxItems: 100 }),
    source: SOURCE,
  }),
  Shared: record("The counters of a group, as its shared page shows them.", {
    prefix: PREFIX,
    total: HITS,
    since: { type: ["string", "null"], format: "date", description: "The first known day." },
    older: { ...NUMBER, description: "The hits before that day." },
    timeZone: TIME_ZONE,
    days: listOf(DAY, { maxItems: 400 }),
    counters: listOf(RANKED, { maxItems: 20 }),
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
  Key: record("A counter key: it counts this counter only.", { id: ID, key: KEY }, VERSION),
  GroupKey: record("A group key: it counts every counter whose id begins with this prefix.", {
    prefix: PREFIX,
    key: KEY,
  }, VERSION),
  LinkKey: record("The key of a link: it counts this counter and leads to this address only.", {
    id: ID,
    to: { type: "string", format: "uri" },
    key: KEY,
  }, VERSION),
  ReadKey: record("A read key: it opens the numbers of every counter with this prefix.", {
    read: PREFIX,
    key: KEY,
  }, VERSION),
  JobKey: record("A job key: it does one job without the secret, and is sent as a Bearer token.", {
    job: { enum: ["metrics", "backup", "import"] },
    key: { type: "string", pattern: "^(metrics|backup|import\\..+/)\\.[A-Za-z0-9_-]{22}$" },
  }, { prefix: PREFIX }),
  Line: record("A counter: its total, and the hits of each day as far as they are known.", {
    hits: HITS,
  }, {
    id: ID,
    days: daysOf(NUMBER, { "2026-11-19": 12, "2026-11-20": 7 }),
    since: {
      type: "string",
      format: "date",
      description: "The first of the days that were asked for. An import keeps earlier ones.",
    },
    ...REPORT,
  }),
  Addition: record("A line, or numbers to add to a counter with `mode=add`.", {}, {
    id: ID,
    hits: { type: "integer", minimum: -(2 ** 52), maximum: 2 ** 52, examples: [-42_679] },
    days: daysOf({ type: "integer" }, { "2026-11-20": -7 }),
    ...REPORT,
  }),
  Lines: {
    type: "string",
    description:
      "One `Line` with an id per line. With `mode=max`, a line may leave out `hits`: the total then " +
      "grows by as much as the days grow, and with `older` in place of `hits` it becomes what was " +
      "counted before the first day, at least `older`, plus all days. A line with `seen` and without `hits` and `days` is a " +
      "report of the total of another service: the counter grows by as much as that total did " +
      'since the last report. The last line of an export is `{"counters":N}`; ' +
      "`foreign` in it is the number of keys whose value is not a counter.",
  },
  Imported: record(
    "How many counters were imported or found or, with `dry=1`, what would change.",
    {
      counters: NUMBER,
    },
    {
      daysLeftOut: {
        ...NUMBER,
        description: "How many days in the future were left out. Their hits belong to no day.",
      },
      changed: { ...NUMBER, description: "How many would change." },
      changes: listOf(
        record("A counter that would change.", {
          id: { type: "string" },
          before: NUMBER,
          after: NUMBER,
        }),
        { description: "The first 1,000 of them." },
      ),
      undo: {
        type: "string",
        description: "With `undo=1`, lines that undo the import if they are added (`mode=add`).",
      },
    },
  ),
  Days: record("The hits of each day.", {
    total: HITS,
    timeZone: TIME_ZONE,
    days: listOf(DAY),
  }, {
    id: { ...ID, description: "The counter, if it is one." },
    prefix: { ...PREFIX, description: "The group, if it is one." },
  }),
  Decisions: record("What became of the last hits.", {
    decisions: { ...DECISIONS, description: "Hits that a key or the secret authorized." },
    rejected: { ...DECISIONS, description: "Requests that were rejected. Anyone can send these." },
  }),
  Status: record("The state of the service, for its owner.", {
    timeZone: TIME_ZONE,
    warnings: listOf({ type: "string" }, {
      description: "The settings of Redis with which it may lose counters, and a new secret.",
    }),
  }, {
    secret: {
      type: "string",
      description: "The setting or the file that keeps the secret. Missing if nothing does.",
      examples: ["data/secret", "SECRET_TOKEN"],
    },
  }),
  Session: record(
    "A token that is accepted as Bearer like the secret, except for hits and on /session.",
    { token: { type: "string", pattern: "^s1\\.[0-9]+\\.[A-Za-z0-9_-]{43}$" }, expires: TIME },
  ),
  Health: record("The process is alive.", { status: { const: "ok" } }),
  Readiness: record("The store responds.", { status: { const: "ok" } }, {
    unreachable: listOf({ type: "string" }, {
      minItems: 1,
      description: "The shards of the store that are unavailable, if there are any.",
    }),
  }),
  Problem: {
    ...record("An error, as described in RFC 9457.", {
      type: { type: "string", format: "uri-reference" },
      title: { type: "string", minLength: 1 },
      status: { type: "integer", minimum: 400, maximum: 599 },
      detail: { type: "string", minLength: 1, description: "A sentence for the caller." },
    }),
    additionalProperties: true,
  },
} satisfies Record<string, Schema>;

/** Returns the schema of an object with these properties and no others but the `optional` ones. */
function record(
  description: string,
  properties: { [name: string]: Schema },
  optional: { [name: string]: Schema } = {},
): Schema {
  return {
    type: "object",
    description,
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** Returns the schema of numbers by their days. */
function daysOf(number: Schema, example: Readonly<Record<string, number>>): Schema {
  const propertyNames = { format: "date" };
  return { type: "object", propertyNames, additionalProperties: number, examples: [example] };
}

function listOf(items: Schema, more: Schema = {}): Schema {
  return { type: "array", items, ...more };
}
