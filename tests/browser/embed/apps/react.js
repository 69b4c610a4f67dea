// An app in React: each page has elements of its own, and the frame around it has one that stays.
import { createElement as h, StrictMode, useState } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";

// Tells React to leave the content of an element alone.
const empty = { dangerouslySetInnerHTML: { __html: "" }, suppressHydrationWarning: true };
const { key, hydrates, swapsFirst } = globalThis.settings;

function App() {
  const [path, setPath] = useState("/one");
  globalThis.go = (next) => {
    // Most routers change the address first, and the page when its code has arrived.
    if (!swapsFirst) history.pushState(null, "", next);
    setTimeout(() => {
      setPath(next);
      if (swapsFirst) requestAnimationFrame(() => history.pushState(null, "", next));
    }, 100);
  };
  const data = { "data-prefix": "b/", "data-key": key };
  return h(
    "div",
    null,
    h(
      "tally-mark",
      { "data-counter": "auto", ...data, key: path, suppressHydrationWarning: true },
      "–",
    ),
    h("tally-like", { "data-counter": `b/like${path}`, "data-key": key, ...empty }),
    h("tally-top", { ...data, limit: 1, ...empty }),
    h("p", null, path),
  );
}

const app = document.querySelector("#app");
const content = h(StrictMode, null, h(App));
globalThis.hydrate = () => {
  hydrateRoot(app, content, { onRecoverableError: (error) => console.error(error) });
};
if (!hydrates) createRoot(app).render(content);
