import type { Access } from "../auth/access.ts";
import { answer, headersOf } from "../http/answer.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { ownerEndpoint } from "../http/owner_endpoint.ts";

/** `POST /session`: what the page keeps in place of the secret. */
export function session({ access }: { access: Access }): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-store", audience: "none" });
  return ownerEndpoint({
    path: "/session",
    methods: ["POST"],
    summary: "Begin a session of 12 hours",
    parameters: [],
    admits: "secretholder",
    ask: () => undefined,
    answer: () => answer(JSON.stringify(access.beginSession()), headers),
  }, access);
}
