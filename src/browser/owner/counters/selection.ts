import { byId, fill, make } from "../../lib/make.ts";
import { toast } from "../../lib/toast.ts";
import { errorMessage, plural } from "../../lib/words.ts";
import type { Figures } from "../../lib/figures.ts";
import { askDelete, askMove, download, nameOf, sumOf } from "./changes.ts";
import { shown } from "./shown.ts";

/** The counters that each check box selects. */
const selects: WeakMap<Element, readonly Figures[]> = new WeakMap();

/** The button that shows the check boxes, and hides them again. */
export const picking = make("button", { click: () => pick(!isPicking()) }, "Select");
/** The check box of all counters that the search finds. */
export const everything = boxFor([]);

const words = make("span", { role: "status" });
const rename = button("Rename…", () => askMove(selected(), false));
const merge = button("Merge…", () => askMove(selected(), true));
/** The bar with what can be done to the selected counters. */
export const bar = make(
  ".toast.picked",
  {
    popover: "manual",
    role: "group",
    "aria-label": "Selected counters",
    keydown: ({ key }) => key === "Escape" && pick(false),
  },
  words,
  rename,
  merge,
  button("Delete…", () => askDelete(selected())),
  button("Download", () => {
    download(selected()).catch((error) => toast([errorMessage(error)], []));
  }),
  make("button", { "aria-label": "Select none", click: () => pick(false) }, "×"),
);

function button(name: string, click: () => void) {
  return make("button", { click }, name);
}

/** Creates a check box that selects counters. */
export function boxFor(rows: readonly Figures[], name?: string) {
  const box = make("input.tick", {
    type: "checkbox",
    "aria-label": name,
    change: () => select(selects.get(box) ?? [], box.checked),
    keydown(event) {
      if (event.key !== "Enter") return;
      // Without this, the key would also press the button.
      event.preventDefault();
      rename.focus();
    },
  });
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
  return button("Rename, delete…", () => {
    if (!isPicking()) shown.picked.clear();
    select(rows, true);
    rename.focus();
  });
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
  const hint = make("span.sr", ". Enter leads to what can be done.");
  fill(
    words,
    name,
    `, ${plural(sumOf(rows), "view")} `,
    hint,
    make("kbd", { "aria-hidden": true }, "Enter"),
  );
  merge.hidden = rows.length === 1;
  bar.togglePopover(rows.length > 0);
}

function isPicking() {
  return byId("counters-view").classList.contains("picking");
}

/** Shows the check boxes, or hides them and selects nothing. */
function pick(isOn: boolean) {
  byId("counters-view").classList.toggle("picking", isOn);
  picking.textContent = isOn ? "Done" : "Select";
  if (isOn) return;
  shown.picked.clear();
  showSelection();
  picking.focus();
}
