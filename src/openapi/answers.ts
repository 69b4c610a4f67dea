import { PROBLEM_NAMES } from "../problem.ts";
import { reference, type Schema } from "./schemas.ts";

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
  counter: { "application/json": { schema: reference("Counter") } },
  hits: { "text/plain": { schema: reference("HitsText") } },
  svg: { "image/svg+xml": { schema: reference("Svg") } },
  shieldsBadge: { "application/json": { schema: reference("ShieldsBadge") } },
  key: { "application/json": { schema: { oneOf: [reference("Key"), reference("FamilyKey")] } } },
  line: { "application/json": { schema: reference("Line") } },
  lines: { "application/x-ndjson": { schema: reference("Lines") } },
  imported: { "application/json": { schema: reference("Imported") } },
  days: { "application/json": { schema: reference("Days") } },
  decisions: { "application/json": { schema: reference("Decisions") } },
  session: { "application/json": { schema: reference("Session") } },
  health: { "application/json": { schema: reference("Health") } },
  readiness: { "application/json": { schema: reference("Readiness") } },
  document: { "application/json": { schema: { type: "object" } } },
  text: { "text/plain": { schema: { type: "string" } } },
  script: { "text/javascript": { schema: { type: "string" } } },
  html: { "text/html": { schema: { type: "string" } } },
} satisfies Record<string, Content>;

/** What `X-Tallymark` says of an answer that is not what the request usually gives. */
export type Remark = "prefetch" | "stale" | "bot" | "repeat" | "camo" | "problem";

const REMARKS: Record<Remark, { values: readonly string[]; meaning: string }> = {
  prefetch: { values: ["prefetch"], meaning: "`prefetch`: answered without counting." },
  bot: { values: ["bot"], meaning: "`bot`: a crawler that came with a key; not counted." },
  repeat: { values: ["repeat"], meaning: "`repeat`: this hit was counted already." },
  camo: {
    values: ["camo"],
    meaning: "`camo`: counted for an image proxy, which hides whom it fetches for.",
  },
  stale: { values: ["stale"], meaning: "`stale`: the store is away, this is the last value read." },
  problem: {
    values: PROBLEM_NAMES,
    meaning: "The name of a problem: the image says it, or shows the last number that was seen.",
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
  const etag = { schema: { type: "string" } };
  return {
    200: {
      description,
      headers: {
        ...cacheControl({ enum: controls }),
        ETag: etag,
        ...remarkOf(["stale", "problem"]),
      },
      content: bodies.svg,
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

/** The `Cache-Control` of an image that must be fetched each time. */
export const UNCACHED_IMAGE = "max-age=0, no-cache, no-store, must-revalidate";

/** A `Cache-Control` header that is always sent. */
export function cacheControl(schema: Schema): Answer["headers"] {
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
