import { byId, fill, make } from "../../lib/make.ts";
import { toast } from "../../lib/toast.ts";
import { errorMessage, plural } from "../../lib/words.ts";
import type { Figures } from "../../lib/figures.ts";
import { askDelete, askMove, download, nameOf, sumOf } from "./changes.ts";
import { shown } from "./shown.ts";

/** The counters that each check box selects. */
const selects: WeakMap<Element, readonly Figures[]> = new WeakMap();

/** The button that shows the check boxes, and hides them again. */
const picking = byId("picking", { click: () => pick(!isPicking()) });
/** The check box of all counters that the search finds. */
export const everything = byId<HTMLInputElement>("every");
const rename = byId("rename", { click: () => askMove(selected(), false) });
const merge = byId("merge", { click: () => askMove(selected(), true) });
/** The bar with what can be done to the selected counters. */
const bar = byId("picked", { keydown: ({ key }) => key === "Escape" && pick(false) });
byId("delete", { click: () => askDelete(selected()) });
byId("download", {
  click: () => download(selected()).catch((error) => toast([errorMessage(error)], [])),
});
byId("pick-none", { click: () => pick(false) });
const view = byId("counters-view", {
  change({ target }) {
    if (isBox(target)) select(selects.get(target) ?? [], target.checked);
  },
  keydown(event) {
    if (event.key !== "Enter" || !isBox(event.target)) return;
    // Without this, the key would also press the button.
    event.preventDefault();
    rename.focus();
  },
});

function isBox(target: EventTarget | null): target is HTMLInputElement {
  return target instanceof HTMLInputElement && selects.has(target);
}

/** Creates a check box that selects counters. */
export function boxFor(rows: readonly Figures[], name: string) {
  const box = make("input.tick", { type: "checkbox", "aria-label": name });
  selectBy(box, rows);
  return box;
}

/** Sets the counters that a check box selects. */
export function selectBy(box: HTMLInputElement, rows: readonly Figures[]) {
  selects.set(box, rows);
  const { length } = rows.filter(({ id }) => shown.picked.has(id));
  box.checked = length > 0 && length === rows.length;
  box.indeterminate = length > 0 && !box.checked;
}

/** Creates the button of an opened row, which leads to what can be done to its counters. */
export function selectButton(rows: readonly Figures[]) {
  const click = () => {
    if (!isPicking()) shown.picked.clear();
    select(rows, true);
    rename.focus();
  };
  return make("button", { click }, "Rename, delete…");
}

function select(rows: readonly Figures[], isWanted: boolean) {
  for (const { id } of rows) shown.picked[isWanted ? "add" : "delete"](id);
  showSelection();
}

/** Returns the selected counters that still exist. */
function selected() {
  return shown.rows.filter(({ id }) => shown.picked.has(id));
}

/** Shows what is selected in every check box and in the bar. */
export function showSelection() {
  for (const box of document.querySelectorAll<HTMLInputElement>("input.tick")) {
    selectBy(box, selects.get(box) ?? []);
  }
  const rows = selected();
  const name = nameOf(rows.map(({ id }) => id));
  fill(byId("picked-words"), name, `, ${plural(sumOf(rows), "view")}`);
  merge.hidden = rows.length === 1;
  bar.togglePopover(rows.length > 0);
}

function isPicking() {
  return view.classList.contains("picking");
}

/** Shows the check boxes, or hides them and selects nothing. */
function pick(isOn: boolean) {
  view.classList.toggle("picking", isOn);
  picking.textContent = isOn ? "Done" : "Select";
  if (isOn) return;
  shown.picked.clear();
  showSelection();
  picking.focus();
}
