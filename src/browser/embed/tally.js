// <tally-mark> counts a view and shows the number. <tally-top> and <tally-like>, which have files
// of their own, take their parts from here.
import { isOwnVisit, takeFragment } from "./own_visit.js";
import { pageId } from "./page_id.ts";
import { findHome } from "./script_home.js";

if (!customElements.get("tally-mark")) {
  const home = findHome("tally");
  const { hostname } = location;
  const isDev = navigator.webdriver || /^$|^\[|^127\.|localhost$/.test(hostname);
  const isPrivate = /^(10|172\.(1[6-9]|2\d|3[01])|192\.168)\.[\d.]+$|\.local$/.test(hostname);

  // At most nine requests at once, because browsers fail thousands.
  const turns = Array(9).fill(Promise.resolve());
  const send = (path, query, method) => {
    const address = `${home()}${path}?${new URLSearchParams(query)}`;
    const options = { method, keepalive: true, credentials: "omit", referrerPolicy: "no-referrer" };
    const answer = turns.shift().then(() => fetch(address, options));
    turns.push(answer.catch(() => {}));
    return answer;
  };
  const ask = (path, query) => send(path, query).then((response) => response.json());
  const hit = (query) => send("hit", { ...query, ...(isOwnVisit() && { skip: 1 }) }, "POST");

  // The form with `data-` wins, because frameworks keep some of the other names to themselves.
  const attributesOf = ({ attributes, dataset }) => {
    const all = {};
    for (const { name, value } of attributes) all[name] = value;
    return { ...all, ...dataset };
  };

  // A hidden page gets no animation frames, so only pages that are seen count.
  let frame, again;
  const show = () => {
    again = 1;
    frame ||= requestAnimationFrame(look);
  };
  const observer = new MutationObserver(show);

  // Routers change the address before they remove the elements of the page that was left. So an
  // element that stays names its old page for a second.
  const loaded = location.pathname;
  let path = loaded;
  let since = 0;
  const watch = () => {
    takeFragment();
    if (path !== location.pathname) {
      path = location.pathname;
      since = Date.now();
    } else if (since && Date.now() - since > 1e3) {
      since = 0;
      show();
    }
  };

  // The canonical path, unless it is that of the home page. Apps change the link later.
  let canonical;
  const readCanonical = () => {
    const address = document.querySelector("link[rel~=canonical]")?.href;
    const [, host, other] = /^https?:..([^/]+)(\/[^?#]+)/.exec(address) ?? [];
    return host === location.host ? other : loaded;
  };

  const pages = new WeakMap();
  const idOf = (element, { counter, prefix }) => {
    if (!since || !pages.has(element)) {
      pages.set(element, path === loaded ? canonical ??= readCanonical() : path);
    }
    return counter === "auto" ? pageId(pages.get(element), prefix) : counter || "home";
  };

  // A request reads at most 100 counters, in a query of at most 8 kB.
  const batches = {};
  const read = async (id, period) => {
    const part = `id=${encodeURIComponent(id)}&`;
    let batch = batches[period];
    if (!batch?.left || (batch.query + part).length > 8e3) {
      batch = batches[period] = { left: 100, query: "" };
      batch.answer = Promise.resolve().then(() => {
        batch.left = 0;
        return ask("counts", `${batch.query}period=${period}`);
      });
    }
    batch.left--;
    batch.query += part;
    const { counts, status } = await batch.answer;
    // One invalid id fails the whole request.
    return status === 400 ? ask("count.txt", { id, period }) : counts[id.trim().normalize()];
  };

  const rules = new Intl.PluralRules();
  const all = rules.resolvedOptions().pluralCategories;
  const forms = "zero,one,two,few,many".split(",").filter((form) => all.includes(form));
  const textOf = (hits, { format: notation, words }) => {
    const number = hits.toLocaleString(undefined, notation && { notation, roundingMode: "trunc" });
    if (!words) return number;
    const list = words.split(",");
    return `${number} ${list[forms.indexOf(rules.select(hits))] ?? list.at(-1)}`;
  };

  const elements = new Set();
  const shown = new WeakMap();
  let views = {};
  let old, rest, said;

  // Asks for each view once while elements show it, and for a refused one if the key is new.
  const once = (name, act, isNew) => {
    let view = views[name] ?? old[name];
    if (!view || view.refused && isNew) {
      view = {};
      view.done = act(view).then((hits) => {
        view.hits ??= hits;
        show();
      });
      view.done.catch(() => {});
    }
    return views[name] = view;
  };

  const lookAtMark = (mark, attributes) => {
    const { counter, prefix, key, period = "total", once: day, local, ...form } = attributes;
    const content = mark.textContent;
    const [before, last, first = content, lastKey] = shown.get(mark) ?? [];
    const id = idOf(mark, attributes);
    let name = `${period} ${id}`;
    let view;
    if (prefix && !counter) {
      name = `${period} sum ${prefix}`;
      view = once(name, () => ask("count.txt", { prefix, period }));
    } else if (key && !isDev && !(isPrivate && local == null)) {
      view = once(`hit ${id}`, async (view) => {
        const response = await hit({ id, key, ...(day && { once: day }) });
        view.refused = response.status === 401;
        return (await response.json()).hits;
      }, key !== lastKey);
      const { done } = view;
      if (period !== "total") view = once(key + name, () => done.then(() => read(id, period)));
    } else {
      // A like is counted by its button.
      if (!said && !mark.closest("tally-like")) {
        const reason = key ? "local or automated" : "no key";
        console.info(said = `tally.js: not counting ${id} (${reason})`);
      }
      view = once(name, () => read(id, period));
    }
    let text = before && before !== name ? "–" : last;
    if (view.hits != null) text = textOf(view.hits, form);
    // A morph brings the first content back. A translation of the number stays.
    const isOld = text !== last || content === first;
    if (text && isOld && text !== content) mark.textContent = text;
    shown.set(mark, [name, text, first, key]);
  };

  const parts = {
    // Collects its elements. Their state is elsewhere, because frameworks assign properties.
    Element: class extends HTMLElement {
      connectedCallback() {
        elements.add(this);
        observer.observe(this, {
          attributes: true,
          characterData: true,
          childList: true,
          subtree: true,
        });
        show();
      }

      disconnectedCallback() {
        elements.delete(this);
        pages.delete(this);
        show();
      }
    },
    ask,
    hit,
    idOf,
    once,
    show,
    textOf,
  };

  // At most 200 elements in a task, so that the page stays responsive. What is equal is not written
  // again, so that looking ends.
  const look = () => {
    if (!rest) {
      again = 0;
      watch();
      if (!home()) return frame = 0;
      old = views;
      views = {};
      rest = elements.values();
      // The numbers that like.js is about to show belong to the same request.
      for (const like of document.querySelectorAll("tally-like:not(:defined)")) {
        const id = idOf(like, attributesOf(like));
        once(`total ${id}`, () => read(id, "total"));
      }
    }
    let value;
    for (let left = 200; left-- && ({ value } = rest.next()).value;) {
      try {
        value.constructor.look(value, attributesOf(value));
      } catch {
        // Invalid attributes of one element concern no other.
      }
    }
    observer.takeRecords();
    if (value) return setTimeout(look);
    rest = frame = 0;
    if (again) show();
  };

  customElements.define(
    "tally-mark",
    class extends parts.Element {
      static parts = parts;
      static look = lookAtMark;
    },
  );
  customElements.define(
    "tally-top",
    class extends parts.Element {
      static look() {
        this.look = () => {};
        import(`${home()}top.js`).then(({ arrange }) => {
          this.look = (top, attributes) => arrange(top, attributes, parts);
          show();
        }, () => {});
      }
    },
  );

  // A page that is restored from the cache is viewed again.
  addEventListener("pagehide", () => {
    rest = since = 0;
    path = location.pathname;
    views = {};
  });
  addEventListener("pageshow", show);
  addEventListener("DOMContentLoaded", show);
  setInterval(watch, 250);
}
