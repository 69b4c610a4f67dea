import { Failure } from "./domain/errors.ts";
import type { Log } from "./log.ts";

/** The parts of a problem that clients see. */
interface ProblemKind {
  readonly status: number;
  /** The name as a phrase by default. */
  readonly title?: string;
  readonly detail: string;
  /** A few words that fit on a badge. The words of the name by default. */
  readonly badge?: string;
}

/** All problems. Details are for clients, and causes go to the log only. */
const KINDS = {
  "bad-host": {
    status: 400,
    title: "Bad Host header",
    detail:
      "The Host header must be a name, an IPv4 address or an [IPv6] address, with an optional port.",
  },
  "bad-query": {
    status: 400,
    detail: "The query must be percent-encoded UTF-8.",
  },
  "query-too-long": {
    status: 414,
    detail: "A query may have at most 8,192 bytes.",
  },
  "bad-body": {
    status: 400,
    detail: "This endpoint does not accept such a body.",
  },
  "bad-line": {
    status: 400,
    detail: 'A line is a counter as JSON, such as {"id":"home","hits":41}.',
  },
  "bad-id": {
    status: 400,
    title: "Bad counter id",
    detail:
      "An id is 1 to 200 bytes of visible text in UTF-8, without line breaks, control, format, private-use or unassigned characters, except joiners within words.",
  },
  "hit-needs-id": {
    status: 400,
    title: "Hit needs an id",
    detail: "A hit counts one counter: send its id, such as id=blog/post.",
    badge: "id missing",
  },
  "bad-idempotency-key": {
    status: 400,
    title: "Bad Idempotency-Key",
    detail:
      "An Idempotency-Key is 1 to 64 letters, digits, _ or -, with or without double quotes around it.",
    badge: "bad key",
  },
  "unauthorized": {
    status: 401,
    detail:
      "The secret token is missing or wrong: send it in the X-Auth-Token header, as a Bearer token, or as token= in the query.",
  },
  "group-full": {
    status: 403,
    detail:
      "The limit of new counters in this group is reached for today. Hits on existing counters still count.",
  },
  "outside-prefix": {
    status: 403,
    detail: "This job key imports only ids that begin with its prefix.",
  },
  "not-found": {
    status: 404,
    detail: "No such endpoint. GET / lists all endpoints.",
  },
  "method-not-allowed": {
    status: 405,
    detail: "This path does not support the request method. See the Allow header.",
    badge: "bad method",
  },
  "not-a-counter": {
    status: 409,
    detail: "The value that the store holds under this id is not a counter. It was left unchanged.",
  },
  "counter-full": {
    status: 409,
    detail: "The counter would exceed its maximum, 2^52. It was left unchanged.",
    badge: "full",
  },
  "below-zero": {
    status: 409,
    detail: "The counter, or one of its days, would fall below 0. It was left unchanged.",
  },
  "slots-differ": {
    status: 409,
    detail:
      "The two counters are in different slots of the cluster, and cannot be moved in one step. Export the counter, import it under the new id, and delete the old one.",
  },
  "group-too-large": {
    status: 409,
    detail: "More than 100,000 counters begin with this prefix. Use a longer prefix.",
    badge: "too many",
  },
  "internal": {
    status: 500,
    title: "Internal error",
    detail: "Unexpected error. See the server log.",
    badge: "error",
  },
  "store-unavailable": {
    status: 503,
    detail: "The store is unavailable. Nothing was changed, so it is safe to retry.",
    badge: "unavailable",
  },
  "overloaded": {
    status: 503,
    title: "Too many requests are waiting",
    detail:
      "Too many requests are waiting for the store. Nothing was changed, so it is safe to retry.",
    badge: "busy",
  },
  "busy": {
    status: 503,
    title: "Too many PNGs are waiting",
    detail:
      "Too many requests are waiting for a PNG. Nothing was changed, so it is safe to retry. SVG images are not affected.",
  },
  "no-png": {
    status: 503,
    title: "No PNG rasterizer",
    detail:
      "The PNG rasterizer could not be loaded. A bundle of the service loads it from tallymark-png.js, which must be in the same folder. SVG images are not affected.",
    badge: "no PNG",
  },
  "shutting-down": {
    status: 503,
    detail: "The service is shutting down. Nothing was changed, so it is safe to retry.",
  },
  "outcome-unknown": {
    status: 504,
    detail:
      "The store did not confirm the request in time, so it may have been applied. Retrying a hit may count it twice.",
    badge: "no answer",
  },
} as const satisfies Record<string, ProblemKind>;

/** The name of a problem, which is also the last part of its `type`. */
export type ProblemName = keyof typeof KINDS;

/** The names of all problems. */
export const PROBLEM_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(KINDS);

/** An error that is reported to the client, as RFC 9457 describes it. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly badge: string;
  /** The methods to list in `Allow`, for `method-not-allowed` only. */
  readonly allow: string | undefined;

  /** `detail` replaces the usual sentence for the client. `cause` is for the log only. */
  constructor(
    readonly kind: ProblemName,
    options: { detail?: string | undefined; cause?: unknown; allow?: string } = {},
  ) {
    super(kind, { cause: options.cause });
    const words = kind.replaceAll("-", " ");
    const phrase = words.charAt(0).toUpperCase() + words.slice(1);
    const { status, title = phrase, detail, badge = words }: ProblemKind = KINDS[kind];
    this.status = status;
    this.title = title;
    this.detail = options.detail ?? detail;
    this.badge = badge;
    this.allow = options.allow;
  }
}

/** Returns a failure as the problem that clients see. Returns undefined for an unexpected error. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (!(error instanceof Failure)) return undefined;
  return new Problem(error.kind, { detail: error.detail, cause: error.cause });
}

/** Minimum time between two unexpected errors in the log, because clients can cause many. */
const LOG_INTERVAL_MS = 1000;

/**
 * Creates a function that converts an error to a Problem. Logs the cause of unexpected errors,
 * which clients never see.
 */
export function createProblemConverter(log: Log): (error: unknown) => Problem {
  let loggedAt = -Infinity;
  return (error) => {
    const problem = problemOf(error);
    if (problem !== undefined) return problem;
    if (performance.now() - loggedAt >= LOG_INTERVAL_MS) {
      loggedAt = performance.now();
      const stack = error instanceof Error ? error.stack : undefined;
      log.error("unexpected error", { cause: error, ...(stack !== undefined && { stack }) });
    }
    return new Problem("internal", { cause: error });
  };
}

/** The detail of a problem whose cause is a full disk, for the owner only. */
export const FULL_DISK =
  "The disk of the counter file is full. Hits are not counted until there is room again.";

/** Reports whether an error was caused by a full disk. */
export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /disk is full|No space left/i.test(error.message) || isFullDisk(error.cause);
}

/** A problem in the few words that fit on a badge, and in a sentence. */
export type ProblemText = Pick<Problem, "badge" | "detail">;
