import { type Access, CREDENTIALS } from "../auth/access.ts";
import type { Endpoint, EndpointFacts } from "./endpoint.ts";
import { checkValues, parseQuery, type Query } from "./query.ts";

/** An endpoint for owners that is not about the counter which a missing `id` stands for. */
export interface OwnerEndpoint<Name extends string, Asked>
  extends Pick<EndpointFacts<Name>, "path" | "methods" | "summary" | "parameters"> {
  /** Owners where this is left out; what a session must not open is for those who have the secret itself. */
  readonly admits?: "owner" | "secretholder";
  /** What the query asks for; throws the problem with it. */
  ask(query: Query<Name>): Asked;
  answer(asked: Asked, request: Request): Response | Promise<Response>;
}

/** Makes the endpoint whose every request goes one way: query, what it asks for, admission, answer. */
export function ownerEndpoint<Name extends string, Asked>(
  { ask, answer, admits = "owner", ...endpoint }: OwnerEndpoint<Name, Asked>,
  { check }: Access,
): Endpoint {
  const { parameters } = endpoint;
  const documented = new Set([...parameters, ...CREDENTIALS[admits]].map(({ name }) => name));
  return {
    ...endpoint,
    admits,
    audience: "none",
    errors: "json",
    work: {
      async handle(request) {
        const query = parseQuery(request.url, documented);
        checkValues(query, parameters);
        const asked = ask(query);
        await check[admits]({ request, query });
        return answer(asked, request);
      },
    },
  };
}
