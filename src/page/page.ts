/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { forgetPictures, initBuilder, restoreDesign, show } from "./script/builder.ts";
import { forgetKeys } from "./script/counter.ts";
import { forgetCounters, initCounters, load } from "./script/counters.ts";
import { byId, endToast } from "./script/elements.ts";
import { forgetRequests, more } from "./script/requests.ts";
import { followLink, isSignedIn, onSession, showGate, signOut } from "./script/session.ts";

/** The titles of the views, by the first part of the address after its hash. */
const VIEWS: Record<string, string> = {
  counters: "Counters",
  badges: "Badges",
  "sign-in": "Sign in",
};
const sessionButton = byId("session");

/** Shows the view that the address names; the owner's counters are shown to the owner alone. */
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
  const view = named === "counters" && !isOwner
    ? "sign-in"
    : named === "sign-in" && isOwner
    ? "counters"
    : named;
  const isNew = byId(view).hidden;
  for (const name of Object.keys(VIEWS)) byId(name).hidden = name !== view;
  for (const link of document.querySelectorAll("nav a")) {
    link.ariaCurrent = link.getAttribute("href") === `#${view}` ? "page" : null;
  }
  byId("to-counters").hidden = !isOwner;
  sessionButton.textContent = isOwner ? "Sign out" : "Sign in";
  sessionButton.classList.toggle("quiet", isOwner);
  sessionButton.hidden = view === "sign-in";
  document.title = `${VIEWS[view]} · Tallymark`;
  if (view === "counters") {
    if (isNew) load();
  } else if (view === "badges") {
    const query = new URLSearchParams(address.replace(/^badges&?/, ""));
    if (query.size > 0) restoreDesign(query);
    else show();
  } else byId("secret").focus();
}

onSession((event) => {
  const ended = event === "ended";
  if (event === "ended" || event === "left") {
    forgetCounters(ended);
    forgetRequests(ended);
    forgetKeys(ended);
    forgetPictures();
    endToast();
    showGate(ended ? "ended" : "first");
    if (event === "left") history.replaceState(null, "", "#badges");
  }
  // Back to where a session was needed.
  if (event === "began" && location.hash === "#sign-in") {
    history.replaceState(null, "", "#counters");
  }
  showView();
  if (!byId("badges").hidden) show();
});

initCounters([more]);
initBuilder();
showGate("first");
sessionButton.addEventListener("click", () => {
  if (isSignedIn()) signOut();
  else location.hash = "#sign-in";
});
addEventListener("hashchange", showView);
showView();

// The icon of the page is its mark, so that it needs no request of its own.
const mark = document.querySelector(".brand svg") ?? document.body;
const file = new Blob([new XMLSerializer().serializeToString(mark)], { type: "image/svg+xml" });
const href = URL.createObjectURL(file);
document.head.append(Object.assign(document.createElement("link"), { rel: "icon", href }));
console.info("Tallymark: this page only reads, its pictures count nothing.");
