// Fills the elements of busuanzi: page views, site views, site visitors, and the site's of today.
import { isOwnVisit, takeFragment } from "./own_visit.js";
import { findHome } from "./script_home.js";

const daily = ["today_pv", "today_uv"];
// The visitors of a page are not counted, so that their elements show a dash.
const names = ["site_pv", "page_pv", "site_uv", "page_uv", ...daily];
// The ids and classes that the scripts in use fill: busuanzi, its successor, and Vercount.
const find = (kinds, name) =>
  document.querySelectorAll(kinds.map((kind) => `#${kind}${name},.${kind}${name}`).join());
const valuesOf = (name) =>
  find(["busuanzi_value_", "busuanzi_", "vercount_value_", "vercount_"], name);
const display = (name, display) => {
  for (const { style } of find(["busuanzi_container_", "vercount_container_"], name)) {
    style.display = display;
  }
};
const home = findHome("as/busuanzi/");

const count = () => {
  takeFragment();
  const url = new URL("as/busuanzi/busuanzi", home());
  // The page may send its host alone, or nothing: then this says which page it is.
  let page = location.pathname;
  try {
    page = decodeURI(page);
  } catch {
    // A path that is not percent-encoded UTF-8 is taken as it is written.
  }
  url.searchParams.set("page", page);
  if (isOwnVisit()) url.searchParams.set("skip", 1);
  const isLoading = document.readyState === "loading";
  if (isLoading || daily.some((name) => valuesOf(name).length)) url.searchParams.set("today", 1);
  const ready = new Promise((resolve) => {
    if (isLoading) addEventListener("DOMContentLoaded", resolve);
    else resolve();
  });
  fetch(url, { referrerPolicy: "origin", credentials: "omit" })
    .then((response) => response.ok ? response.json() : Promise.reject(response.status))
    .then((numbers) => ready.then(() => numbers))
    .then((numbers) => {
      for (const name of names) {
        for (const value of valuesOf(name)) value.textContent = numbers[name] ?? "–";
        display(name, "inline");
      }
    })
    .catch(() => {
      for (const name of names) display(name, "none");
    });
};

addEventListener("hashchange", takeFragment);
// A page that is prerendered may never be seen.
if (document.prerendering) document.addEventListener("prerenderingchange", count);
else count();
