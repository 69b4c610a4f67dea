import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Service } from "./service.ts";

/** `POST /session`: what the page keeps in place of the secret. */
export function session({ access }: Service): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-store", cors: "none" });
  return endpoint({
    summary: "Begin a session of 12 hours",
    parameters: [],
    errors: "json",
    answer: () => answer(JSON.stringify(access.beginSession()), headers),
    describe: ({ bodies, fresh }) => ({
      name: "Session",
      tags: ["Service"],
      description: "For pages: a session ends by itself, and with the secret that began it.",
      answers: { 200: fresh("The session.", bodies.session) },
    }),
  });
}
