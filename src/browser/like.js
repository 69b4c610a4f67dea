// <tally-like> is a button that counts one press per reader. A <tally-mark> in it shows the number.
if (!customElements.get("tally-like")) {
  // The address of this file: a module cannot read it, and a page may have no stack.
  const traces = [
    document.currentScript?.src,
    Error().stack,
    ...[...document.scripts].map(({ src }) => src),
    ...performance.getEntriesByType("resource").map(({ name }) => name),
  ];
  const home = /https?:\S+?\/(?=like\.js)/.exec(traces.join(" "))[0];
  // It reads the numbers of all elements of the page in one request.
  import(`${home}tally.js`).catch(() => {});

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

  const likes = new Set();
  const update = () => likes.forEach((like) => like.update());

  // Presses without a response yet, and the highest number in a response, by counter.
  const pending = {};
  const known = {};
  const press = async (like) => {
    const { id, key, max } = like.options();
    if (pressesOf(id) + (pending[id] ||= 0) >= max) return;
    pending[id]++;
    try {
      const query = new URLSearchParams({ id, key, ...(max < 2 && { once: "day" }) });
      const response = await fetch(`${home}hit?${query}`, {
        method: "POST",
        keepalive: true,
        credentials: "omit",
        referrerPolicy: "no-referrer",
      });
      const { hits } = await response.json();
      if (!response.ok || response.headers.get("x-tallymark") === "bot") return;
      remember(id, pressesOf(id) + 1);
      known[id] = Math.max(hits, known[id] || 0);
      matchMedia("(prefers-reduced-motion: reduce)").matches ||
        like.button.animate({ scale: [1, 1.2, 1] }, 200);
      const detail = { counter: id, hits: known[id] };
      like.dispatchEvent(new CustomEvent("tally-like", { bubbles: true, detail }));
    } catch {
      // Offline or blocked: the button stays as it was, and the next press tries again.
    } finally {
      pending[id]--;
      update();
    }
  };

  const create = (name, attributes, ...children) => {
    const element = name === "svg" || name === "path"
      ? document.createElementNS("http://www.w3.org/2000/svg", name)
      : document.createElement(name);
    for (const attribute in attributes) element.setAttribute(attribute, attributes[attribute]);
    element.append(...children);
    return element;
  };

  const HEART = "M8 14C3 10 1 8 1 5a3.5 3.5 0 0 1 7-1 3.5 3.5 0 0 1 7 1c0 3-2 5-7 9z";

  customElements.define(
    "tally-like",
    class extends HTMLElement {
      options() {
        const of = (name) => this.getAttribute(name);
        return { id: of("counter") || "home", key: of("key") || "", max: of("max") || 1 };
      }

      connectedCallback() {
        // The content of the element is not parsed yet.
        if (document.readyState === "loading") {
          addEventListener("DOMContentLoaded", () => this.build());
        } else this.build();
      }

      build() {
        likes.add(this);
        this.number = this.querySelector("[data-hits]");
        this.button = this.querySelector("button");
        if (!this.button) {
          const path = create("path", { d: HEART, stroke: "currentColor" });
          const label = this.getAttribute("label") || "Like";
          const size = { viewBox: "0 0 16 16", width: "1em", height: "1em" };
          const heart = create("svg", { ...size, role: "img", "aria-label": label }, path);
          const content = this.textContent.trim() || this.children.length
            ? this.childNodes
            : [heart];
          this.button = create("button", { type: "button" }, ...content);
          this.append(this.button);
        }
        if (!this.number) {
          const mark = create("tally-mark", { counter: this.options().id }, "–");
          this.number = create("span", { "data-hits": "" }, mark);
          Object.assign(this.number.style, { display: "inline-block", minWidth: "4ch" });
          this.button.append(" ", this.number);
        }
        this.button.onclick = () => press(this);
        this.update();
      }

      disconnectedCallback() {
        likes.delete(this);
      }

      update() {
        const { id, max } = this.options();
        const presses = pressesOf(id);
        this.button.setAttribute("aria-pressed", presses > 0);
        this.button.setAttribute("aria-disabled", presses >= max);
        this.button.querySelector("path")?.setAttribute("fill", presses ? "currentColor" : "none");
        if (known[id]) this.number.textContent = known[id].toLocaleString();
      }
    },
  );

  addEventListener("storage", update);
  addEventListener("pageshow", update);
}
