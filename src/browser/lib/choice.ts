import { fill, make } from "./make.ts";
import { errorMessage } from "./words.ts";

let choices = 0;

/** Creates choices of which one is chosen. */
export function choice(
  label: string,
  names: (string | Node)[],
  chosen: number,
  choose: (index: number) => void,
) {
  const name = `choice-${++choices}`;
  const radios = names.map((_, index) =>
    make("input", { type: "radio", name, checked: index === chosen, change: () => choose(index) })
  );
  const labels = radios.map((radio, index) => make("label", radio, names[index]));
  const element = make(".segments", { role: "radiogroup", "aria-label": label }, ...labels);
  const mark = (index: number) => {
    const radio = radios[index];
    if (radio) radio.checked = true;
  };
  return { element, mark };
}

/** A question with its answer. */
interface Question {
  words: (Node | string)[];
  /** A field to fill in, and what belongs to it. */
  parts?: HTMLElement[];
  button: HTMLButtonElement;
  /** Does what the button says, and returns what to do next. At an error the question stays. */
  act: () => Promise<() => void>;
}

/** Asks in a dialog, which closes once the button has done its work. */
export function ask({ words, parts = [], button, act }: Question) {
  const failed = make("p.bad", { role: "alert" });
  // Cancel has the focus, because Enter at once must not delete anything.
  const cancel = make(
    "button",
    { autofocus: parts.length === 0, click: () => dialog.close() },
    "Cancel",
  );
  const submit = async (event: Event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const next = await act();
      dialog.close();
      next();
    } catch (error) {
      fill(failed, errorMessage(error));
    }
    button.disabled = false;
  };
  const question = make("p", { id: "question" }, ...words);
  const form = make("form", { submit }, question, ...parts, failed, make(".line", button, cancel));
  const dialog = make("dialog.panel.ask", { "aria-labelledby": "question" }, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.querySelector("main")?.append(dialog);
  button.type = "submit";
  dialog.showModal();
}
