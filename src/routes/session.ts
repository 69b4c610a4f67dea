import { type Access, CREDENTIALS } from "../http/access.ts";
import { answer, headersOf } from "../http/answer.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { parseQuery } from "../http/query.ts";

/** `POST /session`: what the page keeps in place of the secret. */
export function session({ access }: { access: Access }): Endpoint {
  const admits = "secretholder";
  const documented: ReadonlySet<string> = new Set(CREDENTIALS[admits].map(({ name }) => name));
  const headers = headersOf("json", { cacheControl: "no-store", audience: "none" });
  return {
    path: "/session",
    methods: ["POST"],
    summary: "Begin a session of 12 hours",
    parameters: [],
    admits,
    audience: "none",
    errors: "json",
    work: {
      async handle(request) {
        const query = parseQuery(request.url, documented);
        await access.check[admits]({ request, query });
        return answer(JSON.stringify(access.beginSession()), headers);
      },
    },
  };
}
