import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { headersFor } from "../http/response.ts";
import { bodies, fixedText, operation } from "../openapi/responses.ts";
import { dataScript as text } from "../page/compose.ts";

/** Lets caches keep the script, and has them ask, because the page accepts only its own version. */
const CONTROL = "no-cache";

/** `GET /data.js`: the script of the page's Data view. */
export const dataScript: Endpoint = endpoint("none", {
  summary: "Get the script of the page's Data view",
  errors: "text",
  description: "The page loads it when the view opens.",
  // The page has its hash, so both are from one module.
  respond: cachedText(() => ({ text, headers: headersFor("script", CONTROL) })),
  openapi: operation("Service", "DataScript", fixedText("The script.", bodies.script, CONTROL)),
});
