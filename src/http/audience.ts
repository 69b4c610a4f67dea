import type { Audience } from "./answer.ts";
import type { EndpointFacts } from "./endpoint.ts";
import { refusedQuery } from "./query.ts";

/**
 * Whose pages may read the answer to a request. A key may stand in any page, and so may what it is asked with be read by
 * any, as long as the secret is not shown beside it.
 */
export function audienceOf(
  { admits, audience }: Pick<EndpointFacts, "admits" | "audience">,
  { url, headers }: Request,
): Audience {
  if (admits !== "keyholder") return audience;
  const query = refusedQuery(url);
  const showsSecret = query.get("token") !== undefined || headers.has("x-auth-token") ||
    headers.has("authorization");
  return query.get("key") !== undefined && !showsSecret ? "any" : audience;
}
