import { load } from "./counters/counters_view.ts";
import { base, here } from "../lib/browser.ts";
import { copyButton } from "../lib/clipboard.ts";
import { byId, fill, make } from "../lib/make.ts";
import { call, callForJson } from "./sign_in/session.ts";

const page = { base, call, callForJson, copyButton, load };

/** The parts of the page that the view gets passed in: its session, address and way to copy. */
export type Page = typeof page;

/** True once the view is there. */
let isShown = false;

/** Shows the view, whose script is loaded when it opens first. */
export async function showData() {
  if (isShown) return;
  const content = make("");
  fill(byId("data-view"), make(".head", make("h1", "Data")), content);
  try {
    const { createDataView } = await import(new URL("data.js", here).href);
    // A second call may have created it in the meantime.
    if (!content.isConnected) return;
    createDataView(content, page);
    isShown = true;
  } catch {
    const reload = make("button", { click: () => location.reload() }, "Reload the page");
    const why = "This view is of another version than the server, or the server cannot be reached.";
    fill(content, make("p.note", { role: "alert" }, why, reload));
  }
}
