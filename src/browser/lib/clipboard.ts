import { fill, make } from "./make.ts";
import { announce } from "./toast.ts";

/**
 * Creates a button that copies a text and says so for two seconds. It copies nothing if there is no
 * text. `name` is its name for screen readers if its words are not.
 */
export function copyButton(
  words: string | Node,
  textOf: () => string | Promise<string | undefined>,
  name?: string,
) {
  const button = make("button", words, { click, "aria-label": name });

  async function click() {
    const text = await textOf();
    if (text === undefined) return;
    const said = await copy(text);
    announce(said);
    button.textContent = said;
    button.ariaLabel &&= said;
    setTimeout(() => fill(button, words, { "aria-label": name }), 2000);
  }

  return button;
}

/** Copies a text and returns a message. Only pages on https or localhost have a clipboard. */
export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    return copyByEvent(text) ? "Copied" : "Not copied: this browser forbids it.";
  }
}

/** Copies a text in the event of a copy, which browsers allow on every page. */
function copyByEvent(text: string) {
  let isDone = false;
  document.addEventListener("copy", (event) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    isDone = true;
  }, { once: true });
  return document.execCommand("copy") && isDone;
}
