import { counterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import type { Access } from "../http/access.ts";
import { answer, headersOf } from "../http/answer.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { parseQuery } from "../http/query.ts";
import { whenKnown } from "../http/when_known.ts";

/** What the endpoints that read need. */
export interface ReadOptions {
  counters: Counters;
  access: Access;
  /** Whether anyone may read, and so any page and cache. */
  openReads: boolean;
}

/** `GET /count`: the number as JSON, or as plain text with `format=txt`. */
export function count({ counters, access, openReads }: ReadOptions): Endpoint {
  const parameters = new Set(["id", "format", "token"]);
  const audience = openReads ? "any" : "own";
  const cacheControl = openReads ? "no-store" : "private, no-store";
  const json = headersOf("json", cacheControl, audience);
  const text = headersOf("text", cacheControl, audience);
  return {
    methods: ["GET", "HEAD", "OPTIONS"],
    errors: (url) => isText(formatOf(url)) ? "text" : "json",
    audience,
    handle(request) {
      const query = parseQuery(request.url, parameters);
      const id = counterId(query.get("id"));
      const write = isText(query.get("format"))
        ? (hits: number) => answer(String(hits), text)
        : (hits: number) => answer(JSON.stringify({ id, hits, source: counters.source }), json);
      return whenKnown(
        access.checkRead(request, query),
        () => whenKnown(counters.count(id), write),
      );
    },
  };
}

/** `GET /count.txt`: the number as plain text. */
export function countText({ counters, access, openReads }: ReadOptions): Endpoint {
  const parameters = new Set(["id", "token"]);
  const audience = openReads ? "any" : "own";
  const headers = headersOf("text", openReads ? "no-store" : "private, no-store", audience);
  return {
    methods: ["GET", "HEAD", "OPTIONS"],
    errors: "text",
    audience,
    handle(request) {
      const query = parseQuery(request.url, parameters);
      const id = counterId(query.get("id"));
      const write = (hits: number) => answer(String(hits), headers);
      return whenKnown(
        access.checkRead(request, query),
        () => whenKnown(counters.count(id), write),
      );
    },
  };
}

/** The format that a query asks for which is itself the problem, and so cannot be read strictly. */
function formatOf(url: string): string | undefined {
  return new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("format") ?? undefined;
}

function isText(format: string | undefined): boolean {
  return format === "txt" || format === "text";
}
