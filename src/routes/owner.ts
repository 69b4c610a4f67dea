import { familyPrefix } from "../auth/secret.ts";
import type { Decision } from "../hits/decisions.ts";
import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, endpoint, readEndpoint } from "../http/endpoint.ts";
import type { Service } from "./service.ts";

const HEADERS = headersOf("json", { cacheControl: "no-store", cors: "none" });

/** `GET /key`: the key that opens one counter, or a family of them. */
export function counterKey({ access }: Service): Endpoint {
  return readEndpoint({
    summary: "Get the key of a counter or of a family",
    parameters: [],
    errors: "json",
    find: ({ id, isFamily }) =>
      isFamily
        ? { prefix: id, key: access.familyKeyOf(familyPrefix(id)) }
        : { id, key: access.keyOf(id) },
    answer: (made) => answer(JSON.stringify(made), HEADERS),
    describe: ({ bodies, fresh }) => ({
      name: "Key",
      tags: ["Counters"],
      answers: { 200: fresh("The key.", bodies.key) },
    }),
  });
}

/** `POST /session`: what the page keeps in place of the secret. */
export function session({ access }: Service): Endpoint {
  return endpoint({
    summary: "Start a session of 12 hours",
    parameters: [],
    errors: "json",
    answer: () => answer(JSON.stringify(access.beginSession()), HEADERS),
    describe: ({ bodies, fresh }) => ({
      name: "Session",
      tags: ["Service"],
      description: "For web pages, so that they need not keep the secret. A new secret ends all " +
        "sessions.",
      answers: { 200: fresh("The session.", bodies.session) },
    }),
  });
}

/** `GET /decisions`: what became of the last hits, for an owner who wonders why one does not count. */
export function listDecisions({ decisions }: Service): Endpoint {
  return endpoint({
    summary: "Show what became of the last 100 hits",
    parameters: [],
    errors: "json",
    answer() {
      const { authorized, rejected } = decisions.latest;
      const body = { decisions: authorized.map(described), rejected: rejected.map(described) };
      return answer(JSON.stringify(body), HEADERS);
    },
    describe: ({ bodies, fresh }) => ({
      name: "Decisions",
      tags: ["Owners"],
      description: "Those of this process, kept in memory only. Nothing shows who sent a hit.",
      answers: { 200: fresh("The hits, newest first.", bodies.decisions) },
    }),
  });
}

function described({ time, id, outcome }: Decision) {
  return { time: new Date(time).toISOString(), id, outcome };
}
