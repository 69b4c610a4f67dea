// <tally-mark counter="blog/post" key="…">–</tally-mark> counts a view of its page and shows the number;
// <tally-top prefix="blog/" key="…"></tally-top> lists the most read pages.
if (!customElements.get("tally-mark")) {
  // The service is where this file is: a module is not told, and other scripts may take the stack away.
  const traces = [
    document.currentScript?.src,
    Error().stack,
    ...[...document.scripts].map(({ src }) => src),
    ...performance.getEntriesByType("resource").map(({ name }) => name),
  ];
  const home = /https?:\S+?\/(?=tally\.js)/.exec(traces.join(" "))[0];
  // Whoever builds or tests a page does not read it.
  const dev = navigator.webdriver || /^$|^\[|^127\.|localhost$/.test(location.hostname);

  const ask = async (path, query, method) => {
    const answer = await fetch(`${home}${path}?${new URLSearchParams(query)}`, {
      method,
      keepalive: true,
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    return answer.json();
  };

  const attributesOf = ({ attributes }) =>
    Object.fromEntries([...attributes].map(({ name, value }) => [name, value]));

  // "auto" is the path of the page, below the prefix.
  const idOf = ({ counter, prefix }) => {
    if (counter !== "auto") return counter || "home";
    const path = decodeURI(location.pathname).replace(/^\/|\/$/g, "") || "home";
    return path.startsWith(prefix) ? path : prefix + path;
  };

  // What is read in one turn shares requests of up to 100 counters.
  let waiting;
  const read = (id, period) =>
    new Promise((resolve) => {
      if (!waiting) queueMicrotask(readAll);
      waiting ??= {};
      (waiting[period] ??= []).push({ id, resolve });
    });
  const readAll = () => {
    for (const [period, all] of Object.entries(waiting)) {
      for (let first = 0; first < all.length; first += 100) {
        const some = all.slice(first, first + 100);
        ask("counts", [...some.map(({ id }) => ["id", id]), ["period", period]])
          .then(({ counts }) => some.forEach(({ id, resolve }) => resolve(counts[id])))
          .catch(() => {});
      }
    }
    waiting = undefined;
  };

  // The last word is for whatever has no form of its own.
  const textOf = (hits, { format: notation, words }) => {
    const number = hits.toLocaleString([], notation && { notation });
    if (!words) return number;
    const rules = new Intl.PluralRules();
    const all = rules.resolvedOptions().pluralCategories;
    const forms = ["zero", "one", "two", "few", "many"].filter((form) => all.includes(form));
    const list = words.split(",");
    return `${number} ${list[forms.indexOf(rules.select(hits))] ?? list.at(-1)}`;
  };

  let say = (why) => {
    console.info(`tally.js counts nothing here: ${why}`);
    say = () => {};
  };

  const marks = new Set();
  let views = new Map();
  let frame;

  // A view is counted once, however many elements show it.
  const look = () => {
    frame = 0;
    const old = views;
    views = new Map();
    const once = (name, act) => {
      const view = views.get(name) ?? old.get(name) ?? act();
      views.set(name, view);
      return view;
    };
    for (const mark of marks) {
      const { counter, prefix = "", key, period = "total", once: day, ...form } = attributesOf(
        mark,
      );
      const id = idOf({ counter, prefix });
      let name = `${period} ${id}`;
      let view;
      if (prefix && !counter) {
        name = `${period} sum ${prefix}`;
        view = once(name, () => ask("count.txt", { prefix, period }));
      } else if (key && !dev) {
        const query = { id, key, ...(day && { once: day }) };
        const hit = once(`hit ${id}`, () => ask("hit", query, "POST").then(({ hits }) => hits));
        view = period === "total" ? hit : once(name, () => hit.then(() => read(id, period)));
      } else {
        say(key ? "nobody reads it" : "there is no key");
        view = once(name, () => read(id, period));
      }
      if (mark.name && mark.name !== name) mark.textContent = "–";
      Object.assign(mark, { name, view });
      view.then((hits) => {
        if (mark.view === view && hits !== null) mark.textContent = textOf(hits, form);
      }).catch(() => {});
    }
  };

  // There are no frames, and so no views, in a hidden tab or a prerendered page.
  const show = () => frame ||= requestAnimationFrame(look);

  customElements.define(
    "tally-mark",
    class extends HTMLElement {
      static observedAttributes = ["counter", "prefix", "period"];

      connectedCallback() {
        marks.add(this);
        show();
      }

      disconnectedCallback() {
        marks.delete(this);
        show();
      }

      attributeChangedCallback() {
        show();
      }
    },
  );

  customElements.define(
    "tally-top",
    class extends HTMLElement {
      async connectedCallback() {
        const { prefix = "", href = `/${prefix}`, key, period = "total", limit = 10, ...form } =
          attributesOf(this);
        const { counters } = await ask("top", { prefix, key, period, limit }).catch(() => ({}));
        if (!counters) return;
        const list = document.createElement("ol");
        for (const { id, hits } of counters) {
          const page = id.slice(prefix.length);
          const link = document.createElement("a");
          // Others choose ids: with a slash in front one could lead to another site.
          link.href = href + encodeURI(page.replace(/^\/+/, ""));
          link.textContent = page;
          const item = document.createElement("li");
          item.append(link, ` ${textOf(hits, form)}`);
          list.append(item);
        }
        this.replaceChildren(list);
      }
    },
  );

  // A page is seen anew when the browser's cache brings it back, or an app makes another of it.
  addEventListener("pagehide", () => views.clear());
  addEventListener("pageshow", show);
  globalThis.navigation?.addEventListener("navigatesuccess", show);
}
