import topScript from "../browser/built/top.min.js" with { type: "text" };
import type { Endpoint } from "../http/endpoint.ts";
import { script } from "./script.ts";

/** `GET /top.js`: the list of the most read pages, which `tally.js` loads. */
export const topList: Endpoint = script(topScript, {
  name: "TopList",
  summary: "Get the part of tally.js that lists the most read pages",
  elements: '`<tally-top prefix="PREFIX" key="GROUP_KEY">` for `tally.js`, which loads it.',
});
