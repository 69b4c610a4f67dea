// An app in Preact.
import { h, render } from "preact";

const { key } = globalThis.settings;
const show = (path) =>
  render(
    h(
      "div",
      null,
      h(
        "tally-mark",
        { "data-counter": "auto", "data-prefix": "b/", "data-key": key, key: path },
        "–",
      ),
      h("tally-like", { "data-counter": `b/like${path}`, "data-key": key }),
      h("tally-top", { "data-prefix": "b/", "data-key": key, limit: 1 }),
      h("p", null, path),
    ),
    document.querySelector("#app"),
  );
globalThis.go = (path) => {
  history.pushState(null, "", path);
  show(path);
};
show("/one");
