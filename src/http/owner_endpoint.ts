import { type Access, CREDENTIALS } from "./access.ts";
import type { Endpoint, EndpointFacts } from "./endpoint.ts";
import { checkValues, parseQuery, type Query } from "./query.ts";

/** An endpoint for owners that is not about the counter which a missing `id` stands for. */
export interface OwnerEndpoint<Name extends string, Asked>
  extends Pick<EndpointFacts<Name>, "path" | "methods" | "summary" | "parameters"> {
  /** What the query asks for; throws the problem with it. */
  ask(query: Query<Name>): Asked;
  answer(asked: Asked, request: Request): Response | Promise<Response>;
}

/** Makes the endpoint whose every request goes one way: query, what it asks for, admission, answer. */
export function ownerEndpoint<Name extends string, Asked>(
  { ask, answer, ...endpoint }: OwnerEndpoint<Name, Asked>,
  { check: { owner: admit } }: Access,
): Endpoint {
  const { parameters } = endpoint;
  const documented = new Set([...parameters, ...CREDENTIALS.owner].map(({ name }) => name));
  return {
    ...endpoint,
    admits: "owner",
    audience: "none",
    errors: "json",
    work: {
      async handle(request) {
        const query = parseQuery(request.url, documented);
        checkValues(query, parameters);
        const asked = ask(query);
        await admit({ request, query, id: undefined });
        return answer(asked, request);
      },
    },
  };
}
