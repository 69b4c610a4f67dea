import { load } from "./counters/counters_view.ts";
import {
  byId,
  debounced,
  errorMessage,
  fill,
  grouped,
  here,
  icon,
  make,
  plural,
  save,
  tableOf,
} from "../lib/elements.ts";
import { dayNumber, fullDay } from "../lib/figures.ts";
import { call, callForJson, isOver } from "./sign_in/session.ts";

const elements = { debounced, errorMessage, fill, grouped, icon, make, plural, save, tableOf };
const kit = { ...elements, call, callForJson, dayNumber, fullDay, isOver, load };

/** The parts of the page that the view gets passed in, so that they exist once. */
export type Kit = typeof kit;

/** The view, which the page loads when it opens first. */
export interface DataView {
  /** Removes the owner's data. What was chosen stays if the session only ended. */
  forget(keepsTyped: boolean): void;
  /** Shows again what would come of the files that are still chosen. */
  resume(): void;
}

let view: DataView | undefined;

/** Shows the view, whose script is loaded when it opens first. */
export async function showData() {
  if (view) return view.resume();
  const content = make("");
  fill(byId("data"), make(".head", make("h1", "Data")), content);
  try {
    const { createDataView } = await import(new URL("data.js", here).href);
    // A second call may have created it in the meantime.
    if (content.isConnected) view = createDataView(content, kit);
  } catch {
    const reload = make("button", { click: () => location.reload() }, "Reload the page");
    const why = "This view is of another version than the server, or the server cannot be reached.";
    fill(content, make("p.note", { role: "alert" }, why, reload));
  }
}

/** Removes the owner's data. What was chosen stays if the session only ended. */
export function forgetData(keepsTyped: boolean) {
  view?.forget(keepsTyped);
}
