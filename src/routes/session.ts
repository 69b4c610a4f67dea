import { createSession } from "../auth/signed_token.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { jsonResponse } from "../http/response.ts";
import { json, operation, success } from "../openapi/responses.ts";
import type { Service } from "../service.ts";

/** `POST /session`: a token that the page keeps instead of the secret. */
export function session({ access }: Service): Endpoint {
  return endpoint("none", {
    summary: "Start a session of 12 hours",
    description: "For web pages, so that they need not keep the secret. A new secret ends all " +
      "sessions.",
    respond: () => jsonResponse(createSession(access.keysFor("Sessions").secret)),
    openapi: operation("Service", "Session", success("The session.", json("Session"))),
  });
}
