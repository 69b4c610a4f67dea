import { keyOf } from "../counters/counter.ts";
import { base } from "../../lib/base.ts";
import { here } from "../../lib/browser.ts";
import { choice } from "../../lib/choice.ts";
import { byId, fill, icon, make } from "../../lib/make.ts";
import { errorMessage } from "../../lib/words.ts";
import type { Choices } from "./design.ts";
import { call, facts, sessionToken } from "../sign_in/session.ts";
import { elementSnippet, imageSnippets, queryOf, snippetBox } from "../../lib/snippets.ts";

/** A design. `prefix` is the prefix of its key, or empty for the key of the counter. */
export interface Design {
  kind: string;
  /** Empty for a sample, undefined if there is nothing to show. */
  id: string | undefined;
  /** The step before there is a line to paste, or empty. */
  obstacle: string;
  looks: Choices;
  isCounting: boolean;
  isOnce: boolean;
  prefix: string;
  label: string;
}

/** The format that is shown, such as "Markdown". */
let format = "Markdown";
/** Number of the last design, by which late responses to earlier ones are ignored. */
let turn = 0;

const views = make(".views");
const viewName = make("small");
const snippets = make("section.panel.snippets", { "aria-label": "To paste" });
const notes = make(".notes");

/** The previews and snippets. */
export const result = make(
  ".result",
  make(
    "section.panel",
    { "aria-label": "Preview" },
    views,
    make(
      ".viewbar",
      viewName,
      choice("Size", ["1×", "2×"], 0, (index) => views.classList.toggle("twice", index === 1))
        .element,
    ),
  ),
  snippets,
  notes,
);

/** Reports whether a design is the last one. */
export function isCurrent(mine: number) {
  return mine === turn;
}

export function showResult(design: Design) {
  showReadmes(design);
  showSnippets(design);
}

/** Marks the snippets as outdated. Returns the number of the new design. */
export function awaitResult() {
  snippets.ariaBusy = "true";
  return ++turn;
}

// --- Pictures ------------------------------------------------------------------------------------

function showReadmes({ kind, id, looks }: Design) {
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
            make("img", { id: `on-${ground}`, error: blank }),
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
    title.textContent = /[^/]*(?=\/?$)/.exec(id ?? "")?.[0] ?? "";
  }
  for (const image of views.querySelectorAll("img")) {
    image.alt = id === undefined ? "" : `Preview on a ${image.id.slice(3)} page`;
    showPicture(image, kind, { id, looks });
  }
  viewName.textContent = isSample(id) ? "Preview with sample numbers" : "Preview on light and dark";
}

function isSample(id: string | undefined) {
  return id === "" || !facts.openReads && !sessionToken();
}

/** Takes a picture that is not there out of the page, so that no earlier one stays. */
function blank({ target }: Event) {
  const image = target as HTMLImageElement;
  image.removeAttribute("src");
  image.alt = "";
}

/** The path and session of each image. */
const pictured: WeakMap<HTMLImageElement, string> = new WeakMap();

/** Shows a picture without counting. If reads are protected, visitors see a sample. */
export async function showPicture(
  image: HTMLImageElement,
  kind: string,
  { id, looks }: Pick<Design, "id" | "looks">,
) {
  const token = sessionToken();
  const path = isSample(id)
    ? `sample/${kind}?${queryOf(looks)}`
    : `${kind}?${queryOf([["id", id ?? ""], ...looks])}`;
  const shown = id === undefined ? "" : `${path} ${token}`;
  if (shown !== "" && pictured.get(image) === shown) return;
  pictured.set(image, shown);
  if (id === undefined) return image.removeAttribute("src");
  if (facts.openReads || isSample(id)) {
    image.src = new URL(path, here).href;
    return;
  }
  const answer = await call(path, { headers: { accept: "image/svg+xml" } }).catch(() => undefined);
  if (!answer || pictured.get(image) !== shown) return;
  URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(await answer.blob());
}

// --- What is pasted ------------------------------------------------------------------------------

async function showSnippets(design: Design) {
  const mine = awaitResult();
  if (design.obstacle !== "") {
    fill(snippets, ...blocked(design.obstacle));
    snippets.ariaBusy = "false";
    return fill(notes);
  }
  let failure: string | undefined;
  const texts = await snippetsOf(design).catch((error) => {
    failure = errorMessage(error);
    return {};
  });
  if (mine !== turn) return;
  const box = snippetBox("code", texts, format, (name) => {
    format = name;
    return `Copy ${name}`;
  });
  fill(snippets, ...sessionToken() ? box : shownToVisitors(design, box));
  snippets.ariaBusy = "false";
  showNotes(design, failure);
}

/** Returns what to do first, in place of the line to paste. */
function blocked(obstacle: string) {
  const toField = make("button.quiet", { click: () => byId("id").focus() }, obstacle);
  return [
    make("p.hold", { id: "obstacle" }, toField, make("small", "Then the line to paste is here.")),
    make(
      ".paste",
      make("button", { "aria-disabled": true, "aria-describedby": "obstacle" }, `Copy ${format}`),
    ),
  ];
}

async function snippetsOf(
  { kind, id = "", looks, isCounting, isOnce, prefix, label }: Design,
): Promise<Record<string, string>> {
  const key = !isCounting || !sessionToken()
    ? "KEY"
    : (await (prefix === "" ? keyOf("id", id) : keyOf("prefix", prefix))).key;
  const once: Choices = isOnce ? [["once", "day"]] : [];
  const keyed: Choices = isCounting ? [["key", key]] : [];
  const addressOf = (path: string, choices: Choices) =>
    new URL(`${path}?${queryOf([["id", id], ...choices])}`, base).href;
  const address = addressOf(isCounting ? "hit.svg" : kind, [...looks, ...once, ...keyed]);
  const snippets: Record<string, string> = imageSnippets(address, label || "views");
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

function warning(...text: (Node | string)[]) {
  return make("p.note.small", make("span", ...text));
}

/** Returns the snippets with what visitors lack, or only that if a snippet would not work. */
function shownToVisitors({ isCounting }: Design, box: Node[]) {
  const link = make("a", { href: "#sign-in" }, "Sign in");
  if (isCounting) {
    const need = make("b", "This line needs the counter’s key");
    const only = " to get it: only the owner can create keys.";
    return [warning(need, " in place of KEY. ", link, only), ...box];
  }
  if (facts.openReads) return box;
  return [warning("Reads are protected on this server. ", link, " to get a line that works.")];
}

function showNotes({ isCounting, prefix }: Design, failure: string | undefined) {
  const key = make(
    "p.told",
    icon("M2 7.5l3.5 3.5L12 3.5"),
    make(
      "span",
      "The key adds views to ",
      make("b", { dir: "auto" }, prefix === "" ? "this counter" : `every counter under ${prefix}`),
      " and works for nothing else, so it is safe to publish.",
    ),
  );
  fill(
    notes,
    failure ? warning(failure) : isCounting && sessionToken() !== undefined && key,
    /^(localhost|127\.|\[)/.test(location.hostname) && warning(
      "GitHub cannot reach ",
      make("b", location.hostname),
      ". Replace the address once your server is public.",
    ),
  );
}
