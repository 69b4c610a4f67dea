/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { base } from "../lib/browser.ts";
import { copyButton } from "../lib/clipboard.ts";
import { askForSession, isSignedIn, keepSession } from "../owner/sign_in/session_store.ts";

const home = base.href.slice(0, -1);
for (const line of document.querySelectorAll("pre")) {
  const command = line.textContent?.replace("$T", home) ?? "";
  line.textContent = command;
  line.after(copyButton("Copy", () => command, `Copy ${command}`));
}

const button = document.querySelector("#session") as HTMLButtonElement;

/** Shows the navigation of the owner or of a visitor. */
function showNavigation() {
  const isOwner = isSignedIn();
  for (const link of document.querySelectorAll<HTMLElement>("nav .owner")) link.hidden = !isOwner;
  button.textContent = isOwner ? "Sign out" : "Sign in";
  button.classList.toggle("quiet", isOwner);
  button.hidden = false;
}

button.addEventListener("click", () => {
  if (isSignedIn()) keepSession(null);
  else location.href = "./#sign-in";
  showNavigation();
});
askForSession(showNavigation, showNavigation);
showNavigation();

const groups = [...document.querySelectorAll<HTMLDetailsElement>(".side details")];
const jump = document.querySelector(".jump") as HTMLSelectElement;
jump.addEventListener("change", () => location.hash = jump.value);

/** Unfolds the group of the list that has the section at the top of the screen, and marks it. */
function follow() {
  const sections = [...document.querySelectorAll<HTMLElement>(".ends")];
  const seen = sections.findLast((section) => section.getBoundingClientRect().top < 120) ??
    sections[0];
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".side a")) {
    const isSeen = link.hash === `#${seen?.id}`;
    link.ariaCurrent = isSeen ? "true" : null;
    const group = link.closest("details");
    if (isSeen) { for (const other of groups) other.open = other === group; }
  }
  jump.value = `#${seen?.id}`;
}

addEventListener("scroll", () => requestAnimationFrame(follow), { passive: true });
follow();
