import { ImportError, importLines } from "../counting/import.ts";
import { MAX_LINE_BYTES } from "../counter/line.ts";
import { Preview } from "../counting/preview.ts";
import { answer, headersOf } from "../http/answer.ts";
import { bodyLines, BROKE_OFF } from "../http/body.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { dry, mode } from "../http/parameters.ts";
import { Problem } from "../problem.ts";
import type { Service } from "./service.ts";

const HEADERS = headersOf("json", { cacheControl: "no-store", cors: "none" });

/** `POST /counters`: sets the counters of the lines in the body, or tells what that would change. */
export function importCounters({ counters, draining }: Service): Endpoint {
  return endpoint({
    summary: "Import counters, a line of JSON each",
    parameters: [mode, dry],
    errors: "json",
    understand: (query) => ({
      mode: query.get("mode") === "max" ? "max" as const : "replace" as const,
      dry: query.get("dry") === "1",
    }),
    async find({ understood: { mode, dry }, request: { body } }) {
      const lines = bodyLines(body ?? ReadableStream.from([]), MAX_LINE_BYTES);
      const today = counters.calendar.today();
      const preview = dry ? new Preview(counters, mode) : undefined;
      try {
        const imported = await importLines(lines, {
          today,
          mode,
          portion: counters.importPortion,
          take: (lines) => preview?.take(lines) ?? counters.setAll(lines, mode),
          othersWait: () => counters.waiting > 0,
        });
        return { counters: imported, changed: preview?.changed, changes: preview?.changes };
      } catch (error) {
        if (!(error instanceof ImportError)) throw error;
        const isCut = error.message === BROKE_OFF && draining.hasBegun;
        throw isCut ? cutShort(error, dry) : problemOf(error, dry);
      }
    },
    answer: (imported) => answer(JSON.stringify(imported), HEADERS),
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Counters",
      tags: ["Owners"],
      description: "A bad line ends it: the lines before it are stored, and all may be sent again.",
      body: bodies.lines,
      answers: { 200: fresh("How many were imported.", bodies.imported) },
      problems: STORE_PROBLEMS,
    }),
  });
}

/** The problem of an import that the end of the service breaks off. */
function cutShort({ taken }: ImportError, dry: boolean): Problem {
  const stored = dry ? "Nothing was written." : `Lines stored for sure: ${taken}.`;
  const detail = `The service is shutting down. ${stored} All lines may be sent again.`;
  return new Problem("shutting-down", { detail });
}

/** The problem of one line; it says which it was, and what has become of the others. */
function problemOf({ line, message, taken, problem }: ImportError, dry: boolean): Problem {
  const [what, how] = problem === undefined
    ? [`cannot be used: ${message}.`, "so far"]
    : [`could not be stored: ${reasonOf(problem)}`, "for sure"];
  const stored = dry ? "Nothing was written." : `Lines stored ${how}: ${taken}.`;
  const again = "Once that is mended all lines may be sent again.";
  const detail = `Line ${line} ${what} ${stored} ${again}`;
  return new Problem(problem?.kind ?? "bad-line", { detail, cause: problem });
}

/** What a failing store says of a whole request is not true of a single line. */
function reasonOf({ status, title, detail }: Problem): string {
  return status < 500 ? detail : `${title}.`;
}
