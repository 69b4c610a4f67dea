import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import { headOf, type WordForm } from "./answer.ts";
import { audienceOf } from "./audience.ts";
import type { EndpointFacts, Work } from "./endpoint.ts";
import type { Farewell } from "./farewell.ts";
import { NotLoaded } from "./later.ts";
import { problemInPicture, problemInWords } from "./problem_answer.ts";

/** How an endpoint fails, to whom it says so, and who else is told of what nobody expected. */
export interface FailureOptions {
  endpoint: Pick<EndpointFacts, "admits" | "errors" | "audience">;
  work?: Pick<Work, "draw" | "onProblem">;
  log: Log;
  leave: Farewell["leave"];
}

/** The answer to what went wrong. */
export type Failure = (error: unknown, request: Request) => Response | Promise<Response>;

/** Turns what goes wrong below an endpoint into an answer; no other place does. */
export function createFailure({ endpoint, work, log, leave }: FailureOptions): Failure {
  const { errors } = endpoint;
  const { draw, onProblem } = work ?? {};

  function answerTo(problem: Problem, request: Request): Response {
    const audience = audienceOf(endpoint, request);
    if (draw !== undefined) {
      return problemInPicture(problem, { svg: draw(problem, request), request, audience });
    }
    return problemInWords(problem, { form: wordsOf(errors, request.url), audience });
  }

  return (error, request) => {
    const problem = problemOf(error, log);
    onProblem?.(problem, request);
    const response = leave(answerTo(problem, request));
    return request.method === "HEAD" ? headOf(response) : response;
  };
}

/** The words to fail in; pictures that could not be loaded fail in JSON. */
function wordsOf(errors: EndpointFacts["errors"], url: string): WordForm {
  if (typeof errors === "function") return errors(url);
  return errors === "svg" ? "json" : errors;
}

/** A problem as it is; anything else is unexpected, and only the log gets to know what it was. */
function problemOf(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof NotLoaded) {
    log.error("not loaded", { cause: error.cause });
    return new Problem("overloaded", { detail: NOT_LOADED, cause: error });
  }
  log.error("unexpected error", { cause: error, ...stackOf(error) });
  return new Problem("internal", { cause: error });
}

const NOT_LOADED =
  "The service could not load what answers this. Nothing was counted: try again later.";

function stackOf(error: unknown): { stack?: string } {
  return error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {};
}
