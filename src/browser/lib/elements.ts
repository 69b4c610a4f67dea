// deno-fmt-ignore
type HtmlAttribute = "alt" | "autocapitalize" | "checked" | "class" | "colspan" | "dir" | "disabled" | "download" | "for" | "hidden" | "href" | "id" | "loading" | "max" | "min" | "multiple" | "name" | "open" | "placeholder" | "required" | "role" | "rows" | "scope" | "selected" | "spellcheck" | "tabindex" | "target" | "title" | "type" | "value";
type SvgAttribute =
  | "cx"
  | "cy"
  | "d"
  | "height"
  | "preserveAspectRatio"
  | "r"
  | "text-anchor"
  | "viewBox"
  | "x"
  | "y";
type Value = string | number | boolean | undefined;

/** Attributes, and listeners by the names of their events. */
type Attributes =
  & { [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void }
  & { [Name in HtmlAttribute | SvgAttribute | `aria-${string}` | `data-${string}`]?: Value };

/** Content of an element, in any order. False and undefined are left out. */
type Content = Attributes | Node | string | false | undefined;

export function byId(id: string) {
  return (document.getElementById(id) as HTMLElement);
}

/**
 * Creates an element, such as `make("p.small", "text")`. The default tag is `div`. Buttons have the
 * type `button` unless given, so that they do not submit forms.
 */
export function make<Name extends string>(name: Name, ...content: Content[]) {
  const create = (tag: string) => document.createElement(tag || "div");
  const isButton = name.startsWith("button") && { type: "button" };
  return (build(create, name, [isButton, ...content]) as Name extends `${infer Tag}.${string}`
    ? ElementOf<Tag>
    : ElementOf<Name>);
}

type ElementOf<Tag extends string> = Tag extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[Tag]
  : Tag extends "" ? HTMLDivElement
  : HTMLElement;

/** Creates an SVG element. */
export function draw(name: string, ...content: Content[]) {
  return build((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag), name, content);
}

function build<Made extends Element>(
  create: (tag: string) => Made,
  name: string,
  content: Content[],
) {
  const [tag = "", ...classes] = name.split(".");
  const element = create(tag);
  if (classes.length > 0) element.setAttribute("class", classes.join(" "));
  add(element, content);
  return element;
}

/** Replaces the content of an element. */
export function fill(element: Element, ...content: Content[]) {
  element.replaceChildren();
  add(element, content);
}

function add(element: Element, content: Content[]) {
  for (const part of content) {
    if (typeof part === "string" || part instanceof Node) element.append(part);
    else if (part) setAttributes(element, part);
  }
}

function setAttributes(element: Element, attributes: Attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      // A listener is given under the name of the event that it takes.
      element.addEventListener(name, value as EventListener);
    } else if (typeof value === "boolean" && !name.startsWith("aria-")) {
      element.toggleAttribute(name, value);
    } else if (value !== undefined) element.setAttribute(name, String(value));
  }
}

/**
 * Creates a table from its rows. Each column has a head, and the name of its cells as for `make`,
 * such as `td.num`.
 */
export function tableOf(
  name: string,
  columns: readonly (readonly [head: Content, cell: string])[],
  rows: readonly (readonly Content[])[],
) {
  const heads = columns.map(([head, cell]) =>
    make(cell.replace("td", "th"), { scope: "col" }, head)
  );
  const lines = rows.map((row) =>
    make("tr", ...columns.map(([, cell], index) => make(cell, row[index])))
  );
  return make(name, make("thead", make("tr", ...heads)), make("tbody", ...lines));
}

/** Draws an icon of 14 px in the color of the text. */
export function icon(path: string, name = "svg.icon") {
  return draw(name, { viewBox: "0 0 14 14", "aria-hidden": true }, draw("path", { d: path }));
}

/** The address of the service. */
export const here = new URL(".", location.href);

/** Announces a text to screen readers. */
export function announce(text: string) {
  byId("said").textContent = text;
}

/** Runs a step, and shows its error in an element, as the content of a `name` if there is one. */
export async function orExplain(place: Element, step: () => Promise<unknown>, name?: string) {
  try {
    await step();
  } catch (error) {
    fill(place, name ? make(name, errorMessage(error)) : errorMessage(error));
  }
}

export function errorMessage(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

const integers = new Intl.NumberFormat();
const short = /* @__PURE__ */ new Intl.NumberFormat([], {
  notation: "compact",
  maximumSignificantDigits: 3,
  roundingMode: "trunc",
});

export function grouped(value: number) {
  return integers.format(value);
}

/** Returns three digits of a number, such as "12.3M". */
export function compact(value: number) {
  return short.format(value);
}

export function timeText(time: number) {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** Returns "1 counter" or "2 counters". */
export function plural(count: number, noun: string) {
  return `${integers.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function debounced(act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, 200);
  };
}

/** Saves a text as a file. */
export function save(file: Blob, name: string) {
  const href = URL.createObjectURL(file);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Creates buttons of which one is chosen. With `panel`, they are the tabs of this element. */
export function choice(
  label: string,
  names: (string | Node)[],
  chosen: number,
  choose: (index: number) => void,
  panel?: string,
) {
  const attributes = panel && { role: "tab", "aria-controls": panel };
  const buttons = names.map((name, index) =>
    make("button", attributes, { click: () => select(index) }, name)
  );
  mark(chosen);

  function mark(chosen: number) {
    for (const [index, button] of buttons.entries()) {
      const isIt = index === chosen;
      if (panel) {
        button.ariaSelected = String(isIt);
        button.tabIndex = isIt ? 0 : -1;
      } else button.ariaPressed = String(isIt);
    }
  }

  function select(index: number) {
    mark(index);
    choose(index);
  }

  function keydown(event: KeyboardEvent) {
    const next = arrowed(event, buttons);
    if (next !== undefined) select(next);
  }

  const [name, role] = panel ? [".tabs", "tablist"] : [".segments", "group"];
  return { element: make(name, { role, "aria-label": label, keydown }, ...buttons), mark };
}

/** Moves the focus by an arrow key, Home or End. Returns the new index. */
export function arrowed(event: KeyboardEvent, all: HTMLElement[]) {
  const at = all.findIndex((element) => element === document.activeElement);
  const to = ({
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  } as Record<string, number>)[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const index = (to + all.length) % all.length;
  all[index]?.focus();
  return index;
}

/** Creates a button that copies a text and says so for two seconds. */
export function copyButton(words: string, textOf: () => string, name: string) {
  const button = make("button", words, { click, "aria-label": name });

  async function click() {
    const said = await copy(textOf());
    announce(said);
    button.textContent = button.ariaLabel = said;
    setTimeout(() => [button.textContent, button.ariaLabel] = [words, name], 2000);
  }

  return button;
}

/**
 * Copies a text and returns a message. Only pages on https or localhost may write to the clipboard.
 * On others the text is selected.
 */
export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    const found = [...document.querySelectorAll("code, pre, h2")].find((code) =>
      code.checkVisibility() && code.textContent === text
    );
    if (found) getSelection()?.selectAllChildren(found);
    return "Text selected. Press Ctrl+C to copy.";
  }
}

/** Shows a message at the foot of the page. The first of its actions gets the focus. */
export function toast(words: (Node | string)[], actions: [name: string, act: () => void][]) {
  const buttons = actions.map(([name, click]) => make("button", { click }, name));
  const close = make("button", { "aria-label": "Close", click: endToast }, "×");
  fill(byId("toast"), make("span", ...words), ...buttons, close);
  byId("toast").hidden = false;
  buttons[0]?.focus({ preventScroll: true });
}

export function endToast() {
  fill(byId("toast"));
  byId("toast").hidden = true;
}
