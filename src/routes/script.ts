import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { headersFor } from "../http/response.ts";
import { bodies, fixedText, operation } from "../openapi/responses.ts";

const CONTROL = "max-age=86400";
const SCRIPT = fixedText("The script, which also works as a module.", bodies.script, CONTROL);

/** Serves a script for pages of any site, which defines elements. */
export function script(
  text: string,
  { name, summary, elements }: Readonly<Record<"name" | "summary" | "elements", string>>,
): Endpoint {
  return endpoint("none", {
    summary,
    errors: "text",
    description: `For pages of any site. It defines ${elements}`,
    respond: cachedText(() => Promise.resolve({ text, headers: headersFor("script", CONTROL) })),
    openapi: operation("Counters", name, SCRIPT),
  });
}
