// <tally-top> lists the most read pages, or orders the links inside. tally.js loads this file.
const LIST = "data-tally-list";
const drawn = new WeakMap();

/** Shows the pages of an element in order. It writes nothing if nothing changed. */
export const arrange = (top, attributes, ask, once, pageId, textOf) => {
  const { prefix = "", href, key, period = "total", limit = 10, query: names, ...form } =
    attributes;
  if (!key || document.readyState === "loading") return;
  const list = top.querySelector(`[${LIST}]`);
  // A page that is restored brings the list along.
  const links = [...top.querySelectorAll("a[href]")].filter((link) => !list?.contains(link));
  // A limit that is no number from 1 hides nothing.
  const most = limit > 0 ? limit : 1e9;
  const query = { prefix, key, period, limit: links.length ? 100 : Math.min(most, 100) };
  const { hits: counters } = once(
    `top ${JSON.stringify(query)}`,
    () => ask("top", query).then(({ counters }) => counters),
  );
  if (!counters) return;
  if (links.length) {
    const ids = counters.map(({ id }) => id);
    return order(top, links, most, ({ pathname, search }) => {
      const rank = ids.indexOf(pageId(pathname + search, prefix, names).normalize());
      return rank < 0 ? ids.length : rank;
    });
  }
  const state = JSON.stringify([counters, attributes]);
  if (list && drawn.get(list) === state) return;
  const created = draw(counters, prefix, href ?? prefix.replace(/^\/*/, "/"), (hits) => {
    return textOf(hits, form, top);
  });
  drawn.set(created, state);
  top.replaceChildren(created);
};

/** Swaps the items of links into each other's places, and hides those beyond the limit. */
const order = (top, links, most, rankOf) => {
  const all = new Map();
  for (const link of links) {
    const near = link.closest("li,article");
    const item = near && top.contains(near) ? near : link;
    all.set(item, Math.min(rankOf(link), all.get(item) ?? 100));
  }
  // An article may have a list of its own.
  const items = [...all.keys()].filter((item) => {
    return !all.has(item.parentNode.closest("li,article"));
  });
  const sorted = [...items].sort((one, other) => all.get(one) - all.get(other));
  const places = items.map((item, index) => {
    const place = new Comment();
    if (item !== sorted[index]) item.replaceWith(place);
    return place;
  });
  sorted.forEach((item, index) => {
    if (item !== items[index]) places[index].replaceWith(item);
    const isShown = index < most;
    if (isShown === (item.style.display === "none")) item.style.display = isShown ? "" : "none";
  });
};

const draw = (counters, prefix, href, textOf) => {
  const list = document.createElement("ol");
  list.setAttribute(LIST, "");
  for (const { id, hits } of counters) {
    const page = id.slice(prefix.length);
    const link = document.createElement("a");
    // Anyone may have made up the id. Two slashes would lead to another site.
    const path = encodeURI(page.replace(/^\/*/, ""));
    // The id of a page keeps what is encoded because it would end a path, as in C%2B%2B.
    link.href = href + path.replace(/%25(?=2[3-6BCF]|3[ABDF]|40)/gi, "%");
    if (link.protocol === "javascript:") link.removeAttribute("href");
    link.textContent = page;
    const item = document.createElement("li");
    item.append(link, ` ${textOf(hits)}`);
    list.append(item);
  }
  return list;
};
