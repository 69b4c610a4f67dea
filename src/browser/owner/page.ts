/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { forgetPictures, initBuilder, restoreDesign, show } from "./builder/builder.ts";
import { forgetKeys } from "./counters/counter.ts";
import { forgetCounters, initCounters, load } from "./counters/counters_view.ts";
import { forgetData, showData } from "./data_loader.ts";
import { byId, endToast } from "../lib/elements.ts";
import { forgetRequests, initRequests, showRequests } from "./requests/requests.ts";
import { followLink, isSignedIn, onSession, showGate, signOut } from "./sign_in/session.ts";

/** The titles of the views, by the first part of the address after its hash. */
const VIEWS: Record<string, string> = {
  counters: "Counters",
  badges: "Badges",
  requests: "Recent requests",
  data: "Data",
  "sign-in": "Sign in",
};
/** The views that need a session. */
const OWNER_VIEWS = ["counters", "requests", "data"];
const sessionButton = byId("session");
const skip = byId("skip");

/** Shows the view that the address names. The view of counters requires a session. */
function showView() {
  const address = location.hash.slice(1);
  const [, token] = /^sign-in=(.+)/.exec(address) ?? [];
  if (token) return followLink(token);
  const wanted = address.split("&", 1)[0] ?? "";
  const isOwner = isSignedIn();
  const named = Object.hasOwn(VIEWS, wanted)
    ? wanted
    : wanted.includes("=") || !isOwner
    ? "badges"
    : "counters";
  const view = OWNER_VIEWS.includes(named) && !isOwner
    ? "sign-in"
    : named === "sign-in" && isOwner
    ? "counters"
    : named;
  const isNew = byId(view).hidden;
  for (const name of Object.keys(VIEWS)) byId(name).hidden = name !== view;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a")) {
    link.ariaCurrent = link.hash === `#${view}` ? "page" : null;
    link.hidden = !isOwner && OWNER_VIEWS.includes(link.hash.slice(1));
  }
  skip.textContent = `Skip to ${view === "counters" ? "the counters" : "the content"}`;
  sessionButton.textContent = isOwner ? "Sign out" : "Sign in";
  sessionButton.classList.toggle("quiet", isOwner);
  sessionButton.hidden = view === "sign-in";
  document.title = `${VIEWS[view]} · Tallymark`;
  if (view === "counters") {
    if (isNew) load();
  } else if (view === "requests") showRequests();
  else if (view === "data") showData();
  else if (view === "badges") {
    const query = new URLSearchParams(address.replace(/^badges&?/, ""));
    if (query.size > 0) restoreDesign(query);
    else show();
  } else byId("secret").focus();
}

onSession((event) => {
  const ended = event === "ended";
  if (event === "ended" || event === "left") {
    forgetCounters(ended);
    forgetRequests();
    forgetData(ended);
    forgetKeys(ended);
    forgetPictures();
    endToast();
    showGate(ended ? "ended" : "first");
    if (event === "left") history.replaceState(null, "", "#badges");
  }
  // Return to the view that required the session.
  if (event === "began" && location.hash === "#sign-in") {
    history.replaceState(null, "", "#counters");
  }
  showView();
  if (!byId("badges").hidden) show();
  if (event === "began") focusContent("main h1");
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
initCounters();
initRequests();
initBuilder();
showGate("first");
sessionButton.addEventListener("click", () => {
  if (isSignedIn()) signOut();
  else location.hash = "#sign-in";
});
addEventListener("hashchange", showView);
showView();

console.info("Tallymark: this page only reads, its pictures count nothing.");
