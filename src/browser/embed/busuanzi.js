// Fills the elements of busuanzi: page views, site views and site visitors.
import { isOwnVisit, takeFragment } from "./own_visit.js";
import { findHome } from "./script_home.js";

const names = ["site_pv", "page_pv", "site_uv"];
const find = (kind, name) => document.getElementById(`busuanzi_${kind}_${name}`);
const home = findHome("busuanzi.pure(?:.mini)?");

const count = () => {
  takeFragment();
  const url = new URL("../../busuanzi", home());
  // The page may send its host alone, or nothing: then this says which page it is.
  let page = location.pathname;
  try {
    page = decodeURI(page);
  } catch {
    // A path that is not percent-encoded UTF-8 is taken as it is written.
  }
  url.searchParams.set("page", page);
  if (isOwnVisit()) url.searchParams.set("skip", 1);
  const ready = new Promise((resolve) => {
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", resolve);
    else resolve();
  });
  fetch(url, { referrerPolicy: "origin", credentials: "omit" })
    .then((response) => response.ok ? response.json() : Promise.reject(response.status))
    .then((numbers) => ready.then(() => numbers))
    .then((numbers) => {
      for (const name of names) {
        const value = find("value", name);
        if (value) value.textContent = numbers[name];
        const container = find("container", name);
        if (container) container.style.display = "inline";
      }
    })
    .catch(() => {
      for (const name of names) {
        const container = find("container", name);
        if (container) container.style.display = "none";
      }
    });
};

addEventListener("hashchange", takeFragment);
// A page that is prerendered may never be seen.
if (document.prerendering) document.addEventListener("prerenderingchange", count);
else count();
