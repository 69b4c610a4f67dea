// @ts-check
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { keyOf } from "./counter.js";
import { choice, fill, icon, make, messageOf } from "./elements.js";
import { call, facts, here, sessionToken } from "./session.js";
import { elementSnippet, imageSnippets, queryOf, snippetBox } from "./snippets.js";

/**
 * @typedef {[name: string, value: string][]} Choices
 * A picture that somebody designed; `prefix` is what its key opens, where that is more than the counter.
 * @typedef {{ kind: string, id: string, looks: Choices, isCounting: boolean, isOnce: boolean, prefix: string, label: string }} Design
 */

/** The format that is shown, such as "Markdown". */
let format = "Markdown";
/** Of the last design: an answer to an earlier one comes too late. */
let turn = 0;

const views = make(".views");
const snippets = make("section.panel.snippets", { "aria-label": "To paste" });
const notes = make(".notes");

/** The pictures and what is pasted. */
export const result = make(
  ".result",
  make(
    "section.panel",
    { "aria-label": "Preview" },
    views,
    make(
      ".viewbar",
      make("small", "Preview on light and dark"),
      choice("Size", ["1×", "2×"], 0, (index) => views.classList.toggle("twice", index === 1))
        .element,
    ),
  ),
  snippets,
  notes,
);

/** @param {Design} design */
export function showResult(design) {
  showReadmes(design);
  showSnippets(design);
}

/** Says that what is shown is about to be a thing of the past. */
export function awaitResult() {
  snippets.ariaBusy = "true";
  return ++turn;
}

export function forgetResult() {
  views.dataset.kind = "";
  fill(views);
}

// --- Pictures ------------------------------------------------------------------------------------

/** @param {Design} design */
function showReadmes({ kind, id, looks }) {
  if (views.dataset.kind !== kind) {
    views.dataset.kind = kind;
    fill(
      views,
      ...["light", "dark"].map((ground) =>
        make(
          `.readme.${ground}`,
          make("p.title", { dir: "auto" }),
          make(
            ".row",
            make("img", { id: `on-${ground}`, alt: `Preview on a ${ground} page` }),
            kind === "badge" && make("i"),
            kind === "badge" && make("i"),
          ),
          make(".words"),
          make(".words.short"),
        )
      ),
    );
  }
  for (const title of views.querySelectorAll(".title")) {
    title.textContent = /[^/]*(?=\/?$)/.exec(id)?.[0] ?? "";
  }
  for (const image of views.querySelectorAll("img")) {
    showPicture(image, `${kind}?${queryOf([["id", id], ...looks])}`);
  }
}

/** What images show, and by whose session. @type {WeakMap<HTMLImageElement, string>} */
const pictured = new WeakMap();

/** Shows a picture, which never counts; where reads are closed that of the session, or a sample. @param {HTMLImageElement} image @param {string} path */
export async function showPicture(image, path) {
  const token = sessionToken();
  const shown = `${path} ${token}`;
  if (pictured.get(image) === shown) return;
  pictured.set(image, shown);
  if (facts.openReads || !token) {
    image.src = new URL(facts.openReads ? path : `sample/${path}`, here).href;
    return;
  }
  const answer = await call(path, { headers: { accept: "image/svg+xml" } }).catch(() => undefined);
  if (!answer || pictured.get(image) !== shown) return;
  URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(await answer.blob());
}

// --- What is pasted ------------------------------------------------------------------------------

/** @param {Design} design */
async function showSnippets(design) {
  const mine = awaitResult();
  /** @type {string | undefined} */
  let failure;
  const texts = await snippetsOf(design).catch((error) => {
    failure = messageOf(error);
    return {};
  });
  if (mine !== turn) return;
  fill(
    snippets,
    ...snippetBox("code", texts, format, (name) => {
      format = name;
      return `Copy ${name}`;
    }),
  );
  snippets.ariaBusy = "false";
  showNotes(design, failure);
}

/** @param {Design} design @returns {Promise<Record<string, string>>} */
async function snippetsOf({ kind, id, looks, isCounting, isOnce, prefix, label }) {
  const key = !isCounting || !sessionToken()
    ? "KEY"
    : await (prefix === "" ? keyOf("id", id) : keyOf("prefix", prefix));
  /** @type {Choices} */
  const once = isOnce ? [["once", "day"]] : [];
  /** @type {Choices} */
  const keyed = isCounting ? [["key", key]] : [];
  const addressOf = (/** @type {string} */ path, /** @type {Choices} */ choices) =>
    new URL(`${path}?${queryOf([["id", id], ...choices])}`, here).href;
  const address = addressOf(isCounting ? "hit.svg" : kind, [...looks, ...once, ...keyed]);
  /** @type {Record<string, string>} */
  const snippets = imageSnippets(address, label || "views");
  if (kind !== "badge") return snippets;
  snippets.Script = `${elementSnippet("tally-mark", [["counter", id], ...keyed, ...once])} views`;
  if (prefix !== "") {
    snippets.List = elementSnippet("tally-top", [["prefix", prefix], ...keyed, ["limit", "5"]]);
  }
  if (!isCounting && facts.openReads) {
    const url = addressOf("badge.json", looks.filter(([name]) => facts.controls[name]?.shields));
    snippets["shields.io"] = `https://img.shields.io/endpoint?${new URLSearchParams({ url })}`;
  }
  return snippets;
}

/** @param {Design} design @param {string | undefined} failure */
function showNotes({ isCounting, prefix }, failure) {
  const warning = (/** @type {(Node | string)[]} */ ...text) =>
    make("p.note.small", make("span", ...text));
  const key = make(
    "p.told",
    icon("M2 7.5l3.5 3.5L12 3.5"),
    make(
      "span",
      "The key adds views to ",
      make("b", { dir: "auto" }, prefix === "" ? "this counter" : `every counter under ${prefix}`),
      " and opens nothing else, so it may stand in public.",
    ),
  );
  const noKey = warning(
    make("b", "Only the owner gets keys."),
    " ",
    make("a", { href: "#sign-in" }, "Sign in"),
    ", and the key of this counter stands in the lines above in place of KEY.",
  );
  fill(
    notes,
    failure ? warning(failure) : isCounting && (sessionToken() ? key : noKey),
    /^(localhost|127\.|\[)/.test(location.hostname) && warning(
      "GitHub cannot reach ",
      make("b", location.hostname),
      ". Replace the address once your server is public.",
    ),
  );
}
