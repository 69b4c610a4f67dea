import { PROBLEM_NAMES } from "../problem.ts";
import {
  type Answer,
  type Answers,
  bodies,
  cacheControl,
  type Content,
  UNCACHED_IMAGE,
} from "./answers.ts";
import { reference } from "./schemas.ts";

/** How an endpoint fails: in words of one form or of the one that was asked for, or in pictures. */
export type ProblemForm = "json" | "text" | "json or text" | "svg";

/** The bodies of problems: RFC 9457, or what a reader of plain text or of images can show. */
export const problemBodies: Record<ProblemForm, Content> = {
  json: { "application/problem+json": { schema: reference("Problem") } },
  text: { "text/plain": { schema: { type: "string", minLength: 1 } } },
  "json or text": {
    "application/problem+json": { schema: reference("Problem") },
    "text/plain": { schema: { type: "string", minLength: 1 } },
  },
  svg: bodies.svg,
};

const string = { type: "string" };

const PROBLEMS: { [status: string]: Pick<Answer, "description"> & Partial<Answer> } = {
  400: { description: "A bad id, query, body, Host or Idempotency-Key header." },
  401: {
    description: "No secret or a wrong one: the answer is the same for both.",
    headers: { "WWW-Authenticate": { required: true, schema: string } },
  },
  403: {
    description: "The key of a family began 10,000 counters today: this would be one more. " +
      "Nothing was counted.",
  },
  409: {
    description: "What the store holds under this id is not a counter, or the counter is full. " +
      "It is left as it was.",
  },
  414: { description: "The query has more than 8,192 bytes." },
  500: { description: "An unexpected error: the log has its cause." },
  503: {
    description: "The store does not take requests, or too many wait. Nothing was changed.",
    headers: {
      "Retry-After": {
        description: "Seconds.",
        required: true,
        schema: { type: "integer", minimum: 1 },
      },
    },
  },
  504: {
    description: "The store got the request and did not answer in time. It may be done.",
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
