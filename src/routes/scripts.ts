import likeScript from "../browser/built/like.min.js" with { type: "text" };
import tallyScript from "../browser/built/tally.min.js" with { type: "text" };
import topScript from "../browser/built/top.min.js" with { type: "text" };
import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { headersFor } from "../http/response.ts";
import { bodies, operation, revalidated } from "../openapi/responses.ts";
import { dataScript as dataText } from "../page/compose.ts";

/** Creates the endpoint of a script, which caches treat as `control` says. */
function script(
  { name, tag, control, text, ...facts }: {
    name: string;
    tag: "Counters" | "Service";
    summary: string;
    description: string;
    control: string;
    text: string;
  },
): Endpoint {
  const shown = revalidated("The script.", bodies.script);
  return endpoint("none", {
    ...facts,
    errors: "text",
    respond: cachedText(() => ({ text, headers: headersFor("script", control) })),
    openapi: operation(tag, name, shown),
  });
}

/** Creates the endpoint of a script for pages of any site, which works as a module, too. */
function elements(text: string, name: string, summary: string, defined: string): Endpoint {
  const description = `For pages of any site, also as a module. It defines ${defined}`;
  return script({ name, tag: "Counters", summary, description, control: "max-age=86400", text });
}

/** `GET /tally.js`: the elements with which any page counts and shows its views. */
export const tally: Endpoint = elements(
  tallyScript,
  "Tally",
  "Get the script that counts and shows page views",
  '`<tally-mark counter="ID" key="KEY">`, ' +
    "which counts a view when somebody sees the page, and `<tally-top>`.",
);

/** `GET /like.js`: the button with which readers like any page. */
export const like: Endpoint = elements(
  likeScript,
  "Like",
  "Get the script of the like button",
  '`<tally-like counter="ID" key="KEY">`, a button that counts one press per reader.',
);

/** `GET /top.js`: the list of the most read pages, which `tally.js` loads. */
export const topList: Endpoint = elements(
  topScript,
  "TopList",
  "Get the part of tally.js that lists the most read pages",
  '`<tally-top prefix="PREFIX" key="GROUP_KEY">` for `tally.js`, which loads it.',
);

/** `GET /data.js`: the script of the page's Data view. The page accepts only its own version. */
export const dataScript: Endpoint = script({
  name: "DataScript",
  tag: "Service",
  summary: "Get the script of the page's Data view",
  description: "The page loads it when the view opens.",
  control: "no-cache",
  // The page has its hash, so both are from one module.
  text: dataText,
});
