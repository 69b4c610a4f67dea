// @ts-check
/// <reference lib="dom" />

/**
 * @typedef {"alt" | "autocapitalize" | "checked" | "class" | "colspan" | "dir" | "disabled" | "download" | "for" | "hidden" | "href" | "id" | "loading" | "max" | "min" | "name" | "placeholder" | "required" | "role" | "rows" | "scope" | "selected" | "spellcheck" | "tabindex" | "target" | "title" | "type" | "value"} HtmlAttribute
 * @typedef {"cx" | "cy" | "d" | "height" | "preserveAspectRatio" | "r" | "text-anchor" | "viewBox" | "x" | "y"} SvgAttribute
 * @typedef {string | number | boolean | undefined} Value
 * What an element gets: attributes, and listeners by the names of their events.
 * @typedef {{ [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void } & { [Name in HtmlAttribute | SvgAttribute | `aria-${string}` | `data-${string}`]?: Value }} Attributes
 * What an element is made of, in any mix and order; what is false or undefined is left out.
 * @typedef {Attributes | Node | string | false | undefined} Content
 */

/** @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Makes an element, such as `make("p.small", "text")`, a `div` unless it has a tag; a button submits its form only where its type
 * says so.
 * @template {string} Name
 * @param {Name} name the tag, and its classes behind dots
 * @param {Content[]} content
 */
export function make(name, ...content) {
  const create = (/** @type {string} */ tag) => document.createElement(tag || "div");
  const isButton = name.startsWith("button") && { type: "button" };
  return /** @type {Name extends `${infer Tag}.${string}` ? ElementOf<Tag> : ElementOf<Name>} */ (
    build(create, name, [isButton, ...content])
  );
}

/** @template {string} Tag @typedef {Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag] : Tag extends "" ? HTMLDivElement : HTMLElement} ElementOf */

/** The same for a part of a drawing. @param {string} name @param {Content[]} content */
export function draw(name, ...content) {
  return build((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag), name, content);
}

/**
 * @template {Element} Made
 * @param {(tag: string) => Made} create
 * @param {string} name
 * @param {Content[]} content
 */
function build(create, name, content) {
  const [tag = "", ...classes] = name.split(".");
  const element = create(tag);
  if (classes.length > 0) element.setAttribute("class", classes.join(" "));
  add(element, content);
  return element;
}

/** Gives an element this content in place of what is in it. @param {Element} element @param {Content[]} content */
export function fill(element, ...content) {
  element.replaceChildren();
  add(element, content);
}

/** @param {Element} element @param {Content[]} content */
function add(element, content) {
  for (const part of content) {
    if (typeof part === "string" || part instanceof Node) element.append(part);
    else if (part) setAttributes(element, part);
  }
}

/** @param {Element} element @param {Attributes} attributes */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      // A listener is given under the name of the event that it takes.
      element.addEventListener(name, /** @type {EventListener} */ (value));
    } else if (typeof value === "boolean" && !name.startsWith("aria-")) {
      element.toggleAttribute(name, value);
    } else if (value !== undefined) element.setAttribute(name, String(value));
  }
}

/** A line drawing of 14 px in the color of the text. @param {string} path @param {string} [name] */
export function icon(path, name = "svg.icon") {
  return draw(name, { viewBox: "0 0 14 14", "aria-hidden": true }, draw("path", { d: path }));
}

/** Says something to those who do not see the page. @param {string} text */
export function announce(text) {
  byId("said").textContent = text;
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

const integers = new Intl.NumberFormat();
const short = new Intl.NumberFormat([], { notation: "compact", roundingMode: "trunc" });

/** @param {number} value */
export function grouped(value) {
  return integers.format(value);
}

/** @param {number} value */
export function compact(value) {
  return short.format(value);
}

/** "1 counter", "2 counters". @param {number} count @param {string} noun */
export function plural(count, noun) {
  return `${integers.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {() => void} act */
export function debounced(act) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, 200);
  };
}

/** Saves a text as a file. @param {Blob} file @param {string} name */
export function save(file, name) {
  const href = URL.createObjectURL(file);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/**
 * Buttons of which one is chosen, which arrow keys move between: tabs if they choose what is in the element with the id `panel`.
 * @param {string} label
 * @param {(string | Node)[]} names
 * @param {number} chosen
 * @param {(index: number) => void} choose
 * @param {string} [panel]
 */
export function choice(label, names, chosen, choose, panel) {
  const attributes = panel && { role: "tab", "aria-controls": panel };
  const buttons = names.map((name, index) =>
    make("button", attributes, { click: () => select(index) }, name)
  );
  mark(chosen);

  /** @param {number} chosen */
  function mark(chosen) {
    for (const [index, button] of buttons.entries()) {
      const isIt = index === chosen;
      if (panel) {
        button.ariaSelected = String(isIt);
        button.tabIndex = isIt ? 0 : -1;
      } else button.ariaPressed = String(isIt);
    }
  }

  /** @param {number} index */
  function select(index) {
    mark(index);
    choose(index);
  }

  /** @param {KeyboardEvent} event */
  function keydown(event) {
    const next = arrowed(event, buttons);
    if (next !== undefined) select(next);
  }

  const [name, role] = panel ? [".tabs", "tablist"] : [".segments", "group"];
  return { element: make(name, { role, "aria-label": label, keydown }, ...buttons), mark };
}

/** Moves the focus by an arrow key, Home or End, and returns where to. @param {KeyboardEvent} event @param {HTMLElement[]} all */
export function arrowed(event, all) {
  const at = all.findIndex((element) => element === document.activeElement);
  const to = /** @type {Record<string, number>} */ ({
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  })[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const index = (to + all.length) % all.length;
  all[index]?.focus();
  return index;
}

/**
 * A button that copies a text and says so for two seconds.
 * @param {string} words
 * @param {() => string} textOf
 * @param {string} name for those who do not see what it stands beside
 */
export function copyButton(words, textOf, name) {
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
 * Copies a text, and returns what to say of it. Only pages that came over https or from this machine may write to the clipboard; on
 * others the text is selected, and every system has its own way on.
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    const found = [...document.querySelectorAll("code, pre, h2")].find((code) =>
      code.checkVisibility() && code.textContent === text
    );
    if (found) getSelection()?.selectAllChildren(found);
    return "Selected: copy it";
  }
}

/**
 * Says at the foot of the page what was done, with what can be done about it; the first button gets the focus.
 * @param {(Node | string)[]} words
 * @param {[name: string, act: () => void][]} actions
 */
export function toast(words, actions) {
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
