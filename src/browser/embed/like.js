// <tally-like> is a button that counts one press per reader. A <tally-mark> in it shows the number.
import { findHome } from "./script_home.js";

const home = findHome("like");
requestAnimationFrame(() => {
  if (!customElements.get("tally-mark") && home()) import(`${home()}tally.js`).catch(() => {});
});

customElements.whenDefined("tally-mark").then(({ parts }) => {
  if (customElements.get("tally-like")) return;
  const { Element, hit, idOf, once, show } = parts;

  // The counted presses by counter, if the browser stores nothing.
  const memory = {};
  const pressesOf = (id) => {
    try {
      return +localStorage[`tally-like ${id}`] || 0;
    } catch {
      return memory[id] || 0;
    }
  };
  const remember = (id, presses) => {
    try {
      localStorage[`tally-like ${id}`] = presses;
    } catch {
      memory[id] = presses;
    }
  };

  // Presses without a response yet, and the highest number in a response, by counter.
  const pending = {};
  const known = {};
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
      known[id] = view.hits = Math.max(hits, view.hits || 0);
      if (/bot|skip|site/.test(response.headers.get("x-tallymark"))) return;
      remember(id, pressesOf(id) + 1);
      matchMedia("(prefers-reduced-motion)").matches ||
        button.animate({ scale: [1, 1.2, 1] }, 200);
      const detail = { counter: id, hits: known[id] };
      like.dispatchEvent(new CustomEvent("tally-like", { bubbles: true, detail }));
    } catch {
      // Offline or blocked: the button stays as it was, and the next press tries again.
    } finally {
      pending[id]--;
      show();
    }
  };

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
    const path = create("path", { d: HEART, stroke: "currentColor" });
    // Drawn below the line of the text, because the digits are lower than the heart.
    const heart = create("svg", {
      viewBox: "0 -3 16 16",
      overflow: "visible",
      width: "1em",
      height: "1em",
      role: "img",
      "data-heart": "",
    }, path);
    const content = like.textContent.trim() || like.children.length ? like.childNodes : [heart];
    const button = create("button", { type: "button" }, ...content);
    like.append(button);
    return button;
  };
  const createNumber = (button) => {
    const number = create(
      "span",
      { "data-hits": "" },
      create("tally-mark", { "data-like": "" }, "–"),
    );
    number.style.cssText = "display:inline-block;min-width:4ch";
    button.append(" ", number);
    return number;
  };

  customElements.define(
    "tally-like",
    class extends Element {
      static look(like, attributes) {
        // The content of the element is not parsed yet.
        if (document.readyState === "loading") return;
        const { key = "", max = 1, label = "Like" } = attributes;
        const id = idOf(like, attributes);
        const button = like.querySelector("button") ?? createButton(like);
        const number = like.querySelector("[data-hits]") ?? createNumber(button);
        const presses = pressesOf(id);
        button.onclick = () => press(like, button, id, key, max);
        set(button, { "aria-pressed": presses > 0, "aria-disabled": presses >= max });
        set(button.querySelector("[data-heart]"), { "aria-label": label });
        set(button.querySelector("path"), { fill: presses ? "currentColor" : "none" });
        set(number.querySelector("[data-like]"), { "data-counter": id });
        const text = known[id]?.toLocaleString();
        if (text && !number.querySelector("tally-mark") && number.textContent !== text) {
          number.textContent = text;
        }
      }
    },
  );

  addEventListener("storage", show);
});
