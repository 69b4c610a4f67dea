import dataText from "../browser/built/data.min.js" with { type: "text" };
import likeScript from "../browser/built/like.min.js" with { type: "text" };
import tallyScript from "../browser/built/tally.min.js" with { type: "text" };
import topScript from "../browser/built/top.min.js" with { type: "text" };
import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { headersFor } from "../http/response.ts";
import { bodies, operation, revalidated } from "../openapi/responses.ts";

/** Creates the endpoint of a script, which caches treat as `control` says. */
function script(
  name: string,
  text: string,
  facts: { summary: string; description: string },
  [tag, control]: readonly ["Counters" | "Service", control: string] = FOR_ANY_SITE,
): Endpoint {
  return endpoint("none", {
    ...facts,
    errors: "text",
    respond: cachedText(() => ({ text, headers: headersFor("script", control) })),
    openapi: operation(tag, name, revalidated("The script.", bodies.script)),
  });
}

const FOR_ANY_SITE = ["Counters", "max-age=86400"] as const;
const DEFINES = "For pages of any site, also as a module. It defines";

/** `GET /tally.js`: the elements with which any page counts and shows its views. */
export const tally: Endpoint = script("Tally", tallyScript, {
  summary: "Get the script that counts and shows page views",
  description: `${DEFINES} \`<tally-mark counter="ID" key="KEY">\`, ` +
    "which counts a view when somebody sees the page, and `<tally-top>`.",
});

/** `GET /like.js`: the button with which readers like any page. */
export const like: Endpoint = script("Like", likeScript, {
  summary: "Get the script of the like button",
  description: `${DEFINES} \`<tally-like counter="ID" key="KEY">\`, ` +
    "a button that counts one press per reader.",
});

/** `GET /top.js`: the list of the most read pages, which `tally.js` loads. */
export const topList: Endpoint = script("TopList", topScript, {
  summary: "Get the part of tally.js that lists the most read pages",
  description: `${DEFINES} \`<tally-top prefix="PREFIX" key="GROUP_KEY">\` for \`tally.js\`, ` +
    "which loads it.",
});

/**
 * `GET /data.js`: the script of the page's Data view. The page has its hash and accepts no other
 * version.
 */
export const dataScript: Endpoint = script("DataScript", dataText, {
  summary: "Get the script of the page's Data view",
  description: "The page loads it when the view opens.",
}, ["Service", "no-cache"]);
