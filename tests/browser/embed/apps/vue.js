// An app in Vue whose pages are kept alive, with static and with bound attributes.
import { createApp, h, KeepAlive, ref } from "vue";

const { key } = globalThis.settings;
const path = ref("/one");
globalThis.go = (next) => {
  history.pushState(null, "", next);
  setTimeout(() => path.value = next, 100);
};

const page = (name) => ({
  name,
  render: () =>
    h("section", [
      h("tally-mark", { "data-counter": "auto", "data-prefix": "b/", "data-key": key }, "–"),
      h("p", path.value),
    ]),
});
const pages = { "/one": page("one"), "/two": page("two") };

createApp({
  render: () => [
    h(KeepAlive, () => h(pages[path.value])),
    h("tally-like", { "data-counter": `b/like${path.value}`, "data-key": key }),
    h("tally-top", { "data-prefix": "b/", "data-key": key, limit: 1 }),
  ],
}).mount("#app");
