// <tally-mark> counts a view and shows the number. <tally-top> and <tally-like>, which have files
// of their own, take their parts from here.
import { here, isOwnVisit, takeFragment } from "./own_visit.js";
import { pageId } from "./page_id.ts";
import { findHome } from "./script_home.js";

if (!customElements.get("tally-mark")) {
  const home = findHome("tally.js");
  // Files, this machine and private networks. The pages of apps are on localhost.
  const isLocal =
    /^$|^\[(::|f[c-e])|^(10|127|192\.168|172\.(1[6-9]|2\d|3[01]))\..*\d$|\blocal(host)?$/
      .test(location.hostname);

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
  // element that stays names its old page until the new one is there for five quarters of a second.
  const loaded = here();
  let path = loaded;
  let quarters = 5;
  let isRestored;
  const watch = () => {
    takeFragment();
    if (path !== here()) {
      path = here();
      quarters = 0;
    }
  };

  // The canonical address, unless it is that of the home page. Apps change the link later. A file
  // has no other name.
  let canonical;
  const readCanonical = () => {
    const href = document.querySelector("link[rel~=canonical]")?.href;
    const [, host, page] = /^https?:..([^/]+)(\/[^#]*)/.exec(href) ?? [];
    return location.host && (location.host !== host || page === "/") ? loaded : page;
  };

  const pages = new WeakMap();
  // Returns nothing for a file without a canonical address.
  const idOf = (element, { counter, prefix, query }) => {
    if (quarters > 4 || !pages.has(element)) pages.set(element, path);
    if (counter !== "auto") return counter || "home";
    const idAt = (page) => page && pageId(page, prefix, query);
    const id = idAt(pages.get(element));
    return id === idAt(loaded) ? idAt(canonical ??= readCanonical()) : id;
  };

  // A request reads at most 100 counters, in a query of at most 8 kB.
  const batches = {};
  const read = async (id, period) => {
    const part = `${new URLSearchParams({ id })}&`;
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

  // The language of the nearest ancestor that names one, or that of the browser.
  const languageOf = (element) => {
    try {
      return new Intl.Locale(element.closest("[lang]").lang.replace("_", "-"));
    } catch {
      // No ancestor has a language that is valid.
    }
  };
  const textOf = (hits, { format: notation, words }, element) => {
    const language = languageOf(element);
    const number = hits.toLocaleString(language, notation && { notation, roundingMode: "trunc" });
    if (!words) return number;
    const rules = new Intl.PluralRules(language);
    const { pluralCategories } = rules.resolvedOptions();
    const forms = "zero,one,two,few,many".match(RegExp(pluralCategories.join("|"), "g"));
    const list = words.split(",");
    return `${number} ${list[forms?.indexOf(rules.select(hits))] ?? list.at(-1)}`;
  };

  const elements = new Set();
  const shown = new WeakMap();
  let views = {};
  let old, said;

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
    const { counter, prefix, key, period = "total", once: day, local, like } = attributes;
    const content = mark.textContent;
    const [before, last, first = content, lastKey] = shown.get(mark) ?? [];
    const id = idOf(mark, attributes);
    if (!id) return;
    let name = `${period} ${id}`;
    let view;
    if (prefix && !counter) {
      name = `${period} sum ${prefix}`;
      view = once(name, () => ask("count.txt", { prefix, period }));
    } else if (key && !navigator.webdriver && !(isLocal && local == null)) {
      view = once(`hit ${id}`, async (view) => {
        const response = await hit({ id, key, ...(day && { once: day }) });
        view.refused = response.status === 401;
        return (await response.json()).hits;
      }, key !== lastKey);
      const after = view.done;
      if (period !== "total") view = once(key + name, () => after.then(() => read(id, period)));
    } else {
      // A like is counted by its button.
      if (!said && like == null) {
        console.info(said = `tally.js: only reading ${id}`);
      }
      view = once(name, () => read(id, period));
    }
    let text = before && before !== name ? "–" : last;
    if (view.hits != null) text = textOf(view.hits, attributes, mark);
    // A morph brings the first content back. A translation of the number stays.
    const isOld = text !== last || content === first;
    if (text && isOld && text !== content) mark.textContent = text;
    shown.set(mark, [name, text, first, key]);
  };

  // Collects its elements. Their state is elsewhere, because frameworks assign properties.
  class Element extends HTMLElement {
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
      show();
    }
  }

  // At most 200 elements in a task, so that the page stays responsive. What is equal is not written
  // again, so that looking ends.
  const look = async () => {
    again = 0;
    watch();
    if (home()) {
      old = views;
      views = {};
      let looked = 0;
      for (const element of elements) {
        try {
          element.constructor.look(element, attributesOf(element));
        } catch {
          // Invalid attributes of one element concern no other.
        }
        observer.takeRecords();
        if (!(++looked % 200)) await new Promise(setTimeout);
      }
    }
    frame = 0;
    if (again) show();
  };

  customElements.define(
    "tally-mark",
    class extends Element {
      // For like.js.
      static parts = [Element, hit, idOf, once, show];
      static look = lookAtMark;
    },
  );
  customElements.define(
    "tally-top",
    class extends Element {
      static look() {
        this.look = () => {};
        import(`${home()}top.js`).then(({ arrange }) => {
          this.look = (...of) => arrange(...of, ask, once, pageId, textOf);
          show();
        }, () => {});
      }
    },
  );

  addEventListener("DOMContentLoaded", show);
  // A page that is restored from the cache is viewed again, in the next quarter of a second. Before
  // that it may get a frame, as does one that is left.
  setInterval(() => {
    watch();
    if (isRestored) {
      isRestored = 0;
      quarters = 4;
      views = {};
    }
    if (++quarters === 5) show();
  }, 250);
  addEventListener("pageshow", (event) => {
    isRestored = event.persisted;
  });
}
