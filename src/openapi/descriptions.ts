import type { ParameterObject } from "./document.ts";
import {
  type Answer,
  type Answers,
  bodies,
  cacheControl,
  cached,
  type Content,
  fresh,
  keptImage,
  revalidated,
  uncached,
} from "./answers.ts";

/** What is told of an endpoint beyond the facts that it is run by. */
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

const STORE = [409, 503, 504];
const HIT = [403, ...STORE];
const HIT_REMARKS = ["prefetch", "bot", "repeat", "camo"] as const;

const NOT_COUNTED = "A prefetch, and a crawler with a key, is answered without counting.";
const COUNT = "The count; 0 before the first hit.";

/** The headers of what may be kept, and is asked for every time. */
const KEPT: Answer["headers"] = {
  ...cacheControl({ const: "no-cache" }),
  ETag: { required: true, schema: { type: "string" } },
};

/** The tag of the answer that the caller already has. */
const ifNoneMatch: ParameterObject = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of an earlier answer.",
  schema: { type: "string" },
};

/** The name of a hit that may be sent again. */
const idempotencyKey: ParameterObject = {
  name: "Idempotency-Key",
  in: "header",
  description: "With the secret: a hit with the same key within 24 hours is counted once, and " +
    "answered with its first number. So a hit may be sent again after a 503, a 504 or no answer.",
  schema: { type: "string", pattern: '^([A-Za-z0-9_-]{1,64}|"[A-Za-z0-9_-]{1,64}")$' },
};

/** What is told of each endpoint, by its first method and its path. */
export const DESCRIPTIONS: ReadonlyMap<string, Description> = new Map<string, Description>([
  ["GET /hit", {
    name: "Hit",
    tags: ["Counters"],
    description: `${NOT_COUNTED} A \`POST\` takes no body: the id belongs in the query.`,
    headers: [idempotencyKey],
    answers: { 200: fresh("Counted: the new count.", bodies.counter, ...HIT_REMARKS) },
    problems: HIT,
  }],
  ["GET /hit.svg", {
    name: "HitImage",
    tags: ["Counters", "Badges"],
    description: `\`HEAD\` does not count. ${NOT_COUNTED}`,
    answers: { 200: uncached("The badge with the new count.", ...HIT_REMARKS, "problem") },
    problems: HIT,
  }],
  ["GET /count", {
    name: "Count",
    tags: ["Counters"],
    answers: { 200: fresh(COUNT, { ...bodies.counter, ...bodies.hits }) },
    problems: STORE,
  }],
  ["GET /count.txt", {
    name: "CountText",
    tags: ["Counters"],
    answers: { 200: fresh(COUNT, bodies.hits) },
    problems: STORE,
  }],
  ["GET /badge", {
    name: "Badge",
    tags: ["Badges"],
    headers: [ifNoneMatch],
    answers: revalidated("The badge."),
    problems: STORE,
  }],
  ["GET /chart.svg", {
    name: "Chart",
    tags: ["Badges"],
    headers: [ifNoneMatch],
    answers: revalidated("The chart."),
    problems: STORE,
  }],
  ["GET /calendar.svg", {
    name: "Calendar",
    tags: ["Badges"],
    headers: [ifNoneMatch],
    answers: revalidated("The calendar."),
    problems: STORE,
  }],
  ["GET /card.svg", {
    name: "Card",
    tags: ["Badges"],
    headers: [ifNoneMatch],
    answers: revalidated("The card."),
    problems: STORE,
  }],
  ["GET /badge.json", {
    name: "BadgeJson",
    tags: ["Badges"],
    answers: { 200: cached("The badge.", bodies.shieldsBadge) },
    problems: STORE,
  }],
  ["GET /key", {
    name: "Key",
    tags: ["Counters"],
    answers: { 200: fresh("The key.", bodies.key) },
  }],
  ["GET /days", {
    name: "Days",
    tags: ["Counters"],
    description: "Days without hits are 0; days before history began are left out.",
    answers: { 200: fresh("The days, in their order.", bodies.days) },
    problems: STORE,
  }],
  ["GET /counters", {
    name: "Counters",
    tags: ["Owners"],
    description: "With `id`, that counter alone; without, all of them, or those that begin with " +
      '`prefix`. The last line is `{"counters":N}`: without it the answer was cut off.',
    answers: { 200: fresh("The counters.", { ...bodies.lines, ...bodies.line }) },
    problems: STORE,
  }],
  ["PUT /counters", {
    name: "Counter",
    tags: ["Owners"],
    description:
      "Without `days` those that are known stay; `{}` forgets them. Sending the answer " +
      "undoes it.",
    body: bodies.line,
    answers: { 200: fresh("What the counter held before.", bodies.line) },
    problems: STORE,
  }],
  ["DELETE /counters", {
    name: "Counter",
    tags: ["Owners"],
    description: "It counts from 0 again.",
    answers: { 200: fresh("What the counter held.", bodies.line) },
    problems: STORE,
  }],
  ["POST /counters", {
    name: "Counters",
    tags: ["Owners"],
    description: "A bad line ends it: the lines before it are stored, and all may be sent again.",
    body: bodies.lines,
    answers: { 200: fresh("How many were imported.", bodies.imported) },
    problems: STORE,
  }],
  ["GET /decisions", {
    name: "Decisions",
    tags: ["Owners"],
    description: "Of this process alone and in memory only; nothing tells who sent a hit.",
    answers: { 200: fresh("The newest first, rejected requests apart.", bodies.decisions) },
  }],
  ["POST /session", {
    name: "Session",
    tags: ["Service"],
    description: "For pages: a session ends by itself, and with the secret that began it.",
    answers: { 200: fresh("The session.", bodies.session) },
  }],
  ["GET /tally.js", {
    name: "Tally",
    tags: ["Counters"],
    description: "For pages of any site: defines the element `tally-mark`, whose attribute " +
      "`counter` is an id and `key` its counter key. A view is counted when somebody sees it.",
    answers: {
      200: {
        description: "The script, classic or a module.",
        headers: cacheControl({ const: "max-age=86400" }),
        content: bodies.script,
      },
    },
  }],
  ["GET /api", service("Reference", { content: bodies.html })],
  ["GET /openapi.json", {
    name: "OpenApi",
    tags: ["Service"],
    headers: [ifNoneMatch],
    answers: {
      200: { description: "This description.", headers: KEPT, content: bodies.document },
      304: { description: "The caller's copy is still right.", headers: KEPT },
    },
  }],
  ["GET /metrics", service("Metrics", { content: bodies.text })],
  ["GET /healthz", service("Health", { content: bodies.health })],
  ["GET /readyz", service("Readiness", { content: bodies.readiness, problems: [503] })],
  ["GET /sample/badge", {
    name: "SampleBadge",
    tags: ["Badges"],
    answers: { 200: keptImage("The badge.") },
  }],
  ["GET /sample/chart.svg", {
    name: "SampleChart",
    tags: ["Badges"],
    answers: { 200: keptImage("The chart.") },
  }],
  ["GET /sample/calendar.svg", {
    name: "SampleCalendar",
    tags: ["Badges"],
    answers: { 200: keptImage("The calendar.") },
  }],
  ["GET /sample/card.svg", {
    name: "SampleCard",
    tags: ["Badges"],
    answers: { 200: keptImage("The card.") },
  }],
  ["GET /", service("Index", { content: { ...bodies.text, ...bodies.html } })],
]);

/** An endpoint that tells of the service itself. */
function service(
  name: string,
  { content, problems = [] }: { content: Answers[string]["content"] & object; problems?: number[] },
): Description {
  const answers = { 200: { description: "What was asked for.", headers: {}, content } };
  return { name, tags: ["Service"], answers, problems };
}
