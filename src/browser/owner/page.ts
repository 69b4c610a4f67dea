/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { restoreDesign, show } from "./builder/builder.ts";
import { load } from "./counters/counters_view.ts";
import { showData } from "./data_loader.ts";
import { byId } from "../lib/make.ts";
import { showRequests } from "./requests/requests.ts";
import { followLink, isSignedIn, onSession, signOut, toggleGate } from "./sign_in/session.ts";

/** The titles of the views, by the first part of the address after its hash. */
const VIEWS: Record<string, string> = {
  counters: "Counters",
  badges: "Badges",
  requests: "Recent requests",
  data: "Data",
};
/** The views that need a session. */
const OWNER_VIEWS = ["counters", "requests", "data"];
const sessionButton = byId("session");
const skip = byId("skip");
/** The view that is shown. */
let view = "";

/** Shows the view that the address names, or the form to sign in. */
function showView() {
  const address = location.hash.slice(1);
  const [, token] = /^sign-in=(.+)/.exec(address) ?? [];
  if (token) return followLink(token);
  const wanted = address.split("&", 1)[0] ?? "";
  const isOwner = isSignedIn();
  const isVisitors = wanted.includes("=") || !isOwner && wanted !== "sign-in";
  const named = Object.hasOwn(VIEWS, wanted) ? wanted : isVisitors ? "badges" : "counters";
  const before = view;
  view = OWNER_VIEWS.includes(named) && !isOwner ? "sign-in" : named;
  for (const name of Object.keys(VIEWS)) byId(`${name}-view`).hidden = name !== view;
  toggleGate(view === "sign-in");
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a")) {
    link.ariaCurrent = link.hash === `#${view}` ? "page" : null;
    link.hidden = !isOwner && OWNER_VIEWS.includes(link.hash.slice(1));
  }
  skip.textContent = `Skip to ${view === "counters" ? "the counters" : "the content"}`;
  sessionButton.textContent = isOwner ? "Sign out" : "Sign in";
  sessionButton.classList.toggle("quiet", isOwner);
  sessionButton.hidden = view === "sign-in";
  document.title = `${VIEWS[view] ?? "Sign in"} · Tallymark`;
  if (view === "counters" && view !== before) load();
  else if (view === "requests") showRequests();
  else if (view === "data") showData();
  else if (view === "badges") {
    const query = new URLSearchParams(address.replace(/^badges&?/, ""));
    if (query.size > 0) restoreDesign(query);
    else show();
  }
  if (before === "" || before === view || view === "sign-in") return;
  scrollTo(0, 0);
  focusContent("main h1");
}

onSession(() => {
  // Return to the view that required the session.
  if (location.hash === "#sign-in") history.replaceState(null, "", "#counters");
  showView();
  if (isSignedIn()) focusContent("main h1");
});

/** Moves the focus to the table of the view, or to its heading if it has none. */
function focusContent(selector: string) {
  const places = [...document.querySelectorAll<HTMLElement>(selector)];
  const place = places.find((place) => place.checkVisibility());
  if (!place) return;
  place.tabIndex = -1;
  place.focus();
}

skip.addEventListener("click", (event) => {
  event.preventDefault();
  const isTableShown = document.querySelector(".counters")?.checkVisibility();
  focusContent(isTableShown ? ".counters" : "main h1");
});
sessionButton.addEventListener("click", () => {
  if (isSignedIn()) signOut();
  else location.hash = "#sign-in";
});
addEventListener("hashchange", showView);
showView();
