// <tally-mark> counts a view and shows the number, <tally-top> lists the most read pages.
import { pageId } from "./page_id.ts";

if (!customElements.get("tally-mark")) {
  // The URL of this file. Modules have no currentScript, and a stack may be empty.
  const traces = [
    document.currentScript?.src,
    Error().stack,
    ...[...document.scripts].map(({ src }) => src),
    ...performance.getEntriesByType("resource").map(({ name }) => name),
  ];
  const home = /https?:\S+?\/(?=tally\.js)/.exec(traces.join(" "))[0];
  const dev = navigator.webdriver || /^$|^\[|^127\.|localhost$/.test(location.hostname);

  // At most nine requests at once, because browsers fail thousands.
  const turns = Array(9).fill(Promise.resolve());
  const ask = (path, query, method) => {
    const options = { method, keepalive: true, credentials: "omit", referrerPolicy: "no-referrer" };
    const answer = turns.shift()
      .then(() => fetch(`${home}${path}?${new URLSearchParams(query)}`, options))
      .then((response) => response.json());
    turns.push(answer.catch(() => {}));
    return answer;
  };

  const attributesOf = ({ attributes }) =>
    Object.fromEntries([...attributes].map(({ name, value }) => [name, value]));

  const idOf = ({ counter, prefix }) =>
    counter === "auto" ? pageId(location.pathname, prefix) : counter || "home";

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
  const forms = ["zero", "one", "two", "few", "many"].filter((form) => all.includes(form));
  const textOf = (hits, { format: notation, words }) => {
    const number = hits.toLocaleString(undefined, notation && { notation, roundingMode: "trunc" });
    if (!words) return number;
    const list = words.split(",");
    return `${number} ${list[forms.indexOf(rules.select(hits))] ?? list.at(-1)}`;
  };

  let say = (id, why) => {
    console.info(`tally.js: not counting ${id} (${why})`);
    say = () => {};
  };

  const marks = new Set();
  let views = new Map();
  let frame, old, rest, again;

  // Count each view once, although several elements may show the counter.
  const once = (name, act) => {
    const view = views.get(name) ?? old.get(name) ?? act();
    views.set(name, view);
    return view;
  };

  const lookAt = async (mark) => {
    const { counter, prefix = "", key, period = "total", once: day, ...form } = attributesOf(mark);
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
      // A like is counted by its button.
      if (!mark.closest("tally-like")) say(id, key ? "localhost or automated browser" : "no key");
      view = once(name, () => read(id, period));
    }
    if (mark.name && mark.name !== name) mark.textContent = "–";
    Object.assign(mark, { name, view });
    const hits = await view;
    if (mark.view === view && hits !== null) mark.textContent = textOf(hits, form);
  };

  // At most 200 elements in a task, so that the page stays responsive.
  const look = () => {
    if (!rest) {
      again = 0;
      old = views;
      views = new Map();
      rest = marks.values();
      // The numbers that like.js is about to show belong to the same request.
      for (const like of document.querySelectorAll("tally-like")) {
        const id = idOf({ counter: like.getAttribute("counter") });
        once(`total ${id}`, () => read(id, "total")).catch(() => {});
      }
    }
    for (let left = 200; left--;) {
      const { value } = rest.next();
      if (!value) {
        rest = frame = 0;
        return again && show();
      }
      lookAt(value).catch(() => {});
    }
    setTimeout(look);
  };

  // A hidden page gets no animation frames, so only pages that are seen count.
  const show = () => {
    again = 1;
    frame ||= requestAnimationFrame(look);
  };

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
        const {
          prefix = "",
          href = prefix.replace(/^\/*/, "/"),
          key,
          period = "total",
          limit = 10,
          ...form
        } = attributesOf(this);
        const { counters } = await ask("top", { prefix, key, period, limit }).catch(() => ({}));
        if (!counters) return;
        const list = document.createElement("ol");
        for (const { id, hits } of counters) {
          const page = id.slice(prefix.length);
          const link = document.createElement("a");
          // Anyone may have made up the id. Two slashes would lead to another site.
          link.href = href + encodeURI(page.replace(/^\/*/, ""));
          if (link.protocol === "javascript:") link.removeAttribute("href");
          link.textContent = page;
          const item = document.createElement("li");
          item.append(link, ` ${textOf(hits, form)}`);
          list.append(item);
        }
        this.replaceChildren(list);
      }
    },
  );

  // A page that is restored from the cache is viewed again.
  addEventListener("pagehide", () => {
    rest = 0;
    views.clear();
  });
  addEventListener("pageshow", show);
  globalThis.navigation?.addEventListener("navigatesuccess", show);
}
