// <tally-like> is a button that counts one press per reader. A <tally-mark> in it shows the number.
import { findHome } from "./script_home.js";

const home = findHome("like.js");
requestAnimationFrame(() => {
  if (!customElements.get("tally-mark") && home()) import(`${home()}tally.js`).catch(() => {});
});

customElements.whenDefined("tally-mark").then(({ parts }) => {
  if (customElements.get("tally-like")) return;
  const [Element, hit, idOf, once, show] = parts;

  // The counted presses, in memory if the browser stores nothing.
  let storage = Object.create(null);
  try {
    storage = localStorage;
  } catch {
    // The memory is used.
  }
  const nameOf = (id) => `tally-like ${id}`;
  const pressesOf = (id) => +storage[nameOf(id)] || 0;
  // Presses without a response yet, by counter.
  const pending = Object.create(null);

  const press = async (like, button, id, key, max) => {
    if (pressesOf(id) + (pending[id] ||= 0) >= max) return;
    pending[id]++;
    try {
      const response = await hit({ id, key, ...(max < 2 && { once: "day" }) });
      const answer = response.json();
      const { hits } = await answer;
      if (!response.ok) return;
      // The elements that show the counter get the number, too, even if reads are closed.
      const view = once(`total ${id}`, () => answer);
      view.hits = Math.max(hits, view.hits || 0);
      if (/bot|skip|site/.test(response.headers.get("x-tallymark"))) return;
      storage[nameOf(id)] = pressesOf(id) + 1;
      matchMedia("(prefers-reduced-motion)").matches ||
        button.animate({ scale: [1, 1.2, 1] }, 200);
      const detail = { counter: id, hits: view.hits };
      like.dispatchEvent(new CustomEvent("tally-like", { bubbles: true, detail }));
    } catch {
      // Offline or blocked: the button stays as it was, and the next press tries again.
    } finally {
      pending[id]--;
      show();
    }
  };

  // The press of each button. Adding the same listener again has no effect.
  const actions = new WeakMap();
  const act = ({ currentTarget }) => actions.get(currentTarget)();

  const set = (element, attributes) => {
    for (const name in attributes) {
      const value = String(attributes[name]);
      if (element && element.getAttribute(name) !== value) element.setAttribute(name, value);
    }
  };
  const create = (name, attributes, ...children) => {
    const element = /svg|path/.test(name)
      ? document.createElementNS("http://www.w3.org/2000/svg", name)
      : document.createElement(name);
    set(element, attributes);
    element.append(...children);
    return element;
  };

  const HEART = "M8 14C3 10 1 8 1 5a3.5 3.5 0 0 1 7-1 3.5 3.5 0 0 1 7 1c0 3-2 5-7 9z";

  const createButton = (like) => {
    // Drawn below the line of the text, because the digits are lower than the heart.
    const heart = create("svg", {
      viewBox: "0 -3 16 16",
      overflow: "visible",
      width: "1em",
      height: "1em",
      stroke: "currentColor",
      role: "img",
      "data-heart": "",
    }, create("path", { d: HEART }));
    const content = like.textContent.trim() || like.children.length ? like.childNodes : [heart];
    const button = create("button", { type: "button" }, ...content);
    like.append(button);
    return button;
  };
  const createMark = (button) => {
    const mark = create("tally-mark", { "data-like": "" }, "–");
    const number = create("span", { "data-hits": "" }, mark);
    number.style.cssText = "display:inline-block;min-width:4ch";
    button.append(" ", number);
    return mark;
  };

  customElements.define(
    "tally-like",
    class extends Element {
      static look(like, attributes) {
        // The content of the element is not parsed yet.
        if (document.readyState === "loading") return;
        const { key = "", max = 1, label = "Like" } = attributes;
        const id = idOf(like, attributes);
        if (!id) return;
        const button = like.querySelector("button") ?? createButton(like);
        const mark = like.querySelector("[data-like]") ?? createMark(button);
        const presses = pressesOf(id);
        actions.set(button, () => press(like, button, id, key, max));
        button.addEventListener("click", act);
        set(button, { "aria-pressed": presses > 0, "aria-disabled": presses >= max });
        set(button.querySelector("[data-heart]"), {
          "aria-label": label,
          fill: presses ? "currentColor" : "none",
        });
        set(mark, { "data-counter": id });
      }
    },
  );

  addEventListener("storage", show);
});
