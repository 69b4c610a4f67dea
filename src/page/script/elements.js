// @ts-check
/// <reference lib="dom" />

/** @typedef {Record<string, string | number | boolean | ((event: any) => void) | undefined>} Attributes */

/** @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Makes an element; functions become event listeners, everything else attributes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * The same for a part of a drawing.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {(Node | string)[]} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * @template {Element} Made
 * @param {Made} element
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children);
  return element;
}

/** A line drawing of 14 px in the color of the text. @param {string} path @param {string} [className] */
export function icon(path, className = "icon") {
  const line = draw("path", { d: path });
  return draw("svg", { class: className, viewBox: "0 0 14 14", "aria-hidden": "true" }, line);
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
const short = new Intl.NumberFormat([], { notation: "compact" });

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
 * Buttons of which one is pressed.
 * @param {string} label
 * @param {[value: string, text: string][]} choices
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
export function segments(label, choices, chosen, choose) {
  const buttons = choices.map(([value, text]) =>
    make("button", {
      type: "button",
      "aria-pressed": String(value === chosen),
      click: (event) => {
        for (const other of buttons) other.setAttribute("aria-pressed", "false");
        event.currentTarget.setAttribute("aria-pressed", "true");
        choose(value);
      },
    }, text)
  );
  return make("div", { class: "segments", role: "group", "aria-label": label }, ...buttons);
}

/**
 * Tabs that arrow keys move between; what they show is the element with the id `panel`.
 * @param {string} label
 * @param {string} panel
 * @param {string[]} names
 * @param {string | undefined} chosen
 * @param {(name: string) => void} choose
 */
export function tabs(label, panel, names, chosen, choose) {
  /** @param {HTMLElement} tab */
  const select = (tab) => {
    for (const other of all) {
      other.setAttribute("aria-selected", String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
    }
    choose(tab.textContent ?? "");
  };
  const all = names.map((name) =>
    make("button", {
      type: "button",
      role: "tab",
      "aria-controls": panel,
      "aria-selected": String(name === chosen),
      tabindex: name === chosen ? 0 : -1,
      click: (event) => select(event.currentTarget),
    }, name)
  );
  return make("div", {
    class: "tabs",
    role: "tablist",
    "aria-label": label,
    keydown: (event) => {
      const next = arrowed(event, all);
      if (next) select(next);
    },
  }, ...all);
}

/** Moves the focus by an arrow key, Home or End. @param {KeyboardEvent} event @param {HTMLElement[]} all */
export function arrowed(event, all) {
  const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const forward = /** @type {Record<string, number>} */ ({
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  })[event.key];
  if (forward === undefined) return undefined;
  event.preventDefault();
  const next = all.at(forward % all.length);
  next?.focus();
  return next;
}

/**
 * A button that copies a text and says so for two seconds.
 * @param {string} name
 * @param {() => string} textOf
 * @param {Attributes} [attributes]
 */
export function copyButton(name, textOf, attributes = {}) {
  const button = make("button", {
    type: "button",
    ...attributes,
    click: async () => {
      const said = await copy(textOf()) ? "Copied" : "Press Ctrl+C";
      const before = button.textContent;
      if (before === said) return;
      button.textContent = said;
      announce(said);
      setTimeout(() => {
        if (button.textContent === said) button.textContent = before;
      }, 2000);
    },
  }, name);
  return button;
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Only pages that came over https or from this machine may write to the clipboard.
    const found = [...document.querySelectorAll("code, pre")].find((code) =>
      code.checkVisibility() && code.textContent === text
    );
    if (found) getSelection()?.selectAllChildren(found);
    return false;
  }
}

/**
 * Says at the foot of the page what was done, with what can be done about it; the first button gets the focus.
 * @param {(Node | string)[]} words
 * @param {[name: string, act: () => void][]} actions
 */
export function toast(words, actions) {
  const buttons = actions.map(([name, act]) =>
    make("button", { type: "button", click: act }, name)
  );
  const close = make("button", { type: "button", "aria-label": "Close", click: endToast }, "×");
  byId("toast").replaceChildren(make("span", {}, ...words), ...buttons, close);
  byId("toast").hidden = false;
  buttons[0]?.focus({ preventScroll: true });
}

export function endToast() {
  byId("toast").replaceChildren();
  byId("toast").hidden = true;
}
