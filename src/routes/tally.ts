import tallyScript from "../browser/built/tally.min.js" with { type: "text" };
import type { Endpoint } from "../http/endpoint.ts";
import { script } from "./script.ts";

/** `GET /tally.js`: the elements with which any page counts and shows its views. */
export const tally: Endpoint = script(tallyScript, {
  name: "Tally",
  summary: "Get the script that counts and shows page views",
  elements: '`<tally-mark counter="ID" key="KEY">`, ' +
    "which counts a view when somebody sees the page, and `<tally-top>`.",
});
