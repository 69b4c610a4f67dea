import { byId, fill, make } from "./make.ts";

/** Announces a text to screen readers. */
export function announce(text: string) {
  byId("said").textContent = text;
}

/** Shows a message at the foot of the page. Its actions act once, and the first has the focus. */
export function toast(
  words: (Node | string)[],
  actions: (readonly [name: string, act: () => void])[],
) {
  const place = byId("toast");
  const buttons = actions.map(([name, act]) => {
    const button = make("button", name);
    button.addEventListener("click", act, { once: true });
    return button;
  });
  const close = make("button", { "aria-label": "Close", click: () => place.hidePopover() }, "×");
  // Screen readers only tell of a change in what is shown.
  place.showPopover();
  fill(place, make("span", ...words), ...buttons, close);
  buttons[0]?.focus({ preventScroll: true });
}
