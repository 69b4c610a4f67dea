import likeScript from "../browser/built/like.min.js" with { type: "text" };
import type { Endpoint } from "../http/endpoint.ts";
import { script } from "./script.ts";

/** `GET /like.js`: the button with which readers like any page. */
export const like: Endpoint = script(likeScript, {
  name: "Like",
  summary: "Get the script of the like button",
  elements: '`<tally-like counter="ID" key="KEY">`, a button that counts one press per reader.',
});
