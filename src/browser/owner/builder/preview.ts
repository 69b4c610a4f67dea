import { keyOf } from "../counters/detail.ts";
import { here } from "../../lib/browser.ts";
import { choice } from "../../lib/choice.ts";
import { copyButton } from "../../lib/clipboard.ts";
import { byId, make } from "../../lib/make.ts";
import type { Choices, Design } from "./design.ts";
import { call, facts, sessionToken } from "../sign_in/session.ts";
import { addressOf, elementSnippet, imageSnippets, queryOf } from "../../lib/snippets.ts";

/** The lines to paste by their formats. */
type Lines = Readonly<Record<string, string>>;

/** The result of asking the service about a design. */
export interface Outcome {
  /** The facts about the counters. */
  words: string;
  /** The step before there are lines, or empty. */
  obstacle: string;
  lines: Lines;
}

/** All formats. */
const FORMATS = ["Markdown", "HTML", "reST", "AsciiDoc", "URL", "Script", "List", "shields.io"];
/** The format that was chosen. */
let format = "Markdown";
let lines: Lines = {};

const previews = byId("previews");
const sight = byId<HTMLImageElement>("sight");
const snippets = byId("snippets");
const tabs = choice("Format", FORMATS, 0, (index) => {
  format = FORMATS[index] ?? format;
  showLine();
});
const code = byId("code");
const copyName = make("span");
// It stays while the design changes, so that no click on it is lost.
const copying = copyButton(copyName, lineToCopy);
copying.className = "primary";
byId("copy").append(copying);
byId("formats").append(tabs.element);
byId("host").textContent = location.hostname;
byId("to-field", { click: () => byId("id").focus() });
for (const image of [...previews.querySelectorAll("img"), sight]) {
  image.addEventListener("error", () => blank(image));
}

/** Number of the last design. */
let last = 0;
/** Settled once the lines are those of the last design. */
let done = Promise.withResolvers<void>();

/** Marks the lines as outdated. Returns a function that reports whether a design is the last. */
export function outdate() {
  if (snippets.ariaBusy !== "true") done = Promise.withResolvers();
  snippets.ariaBusy = "true";
  const mine = ++last;
  return () => mine === last;
}

/** Returns the line of the last design. Without one, the name has the focus. */
async function lineToCopy() {
  await done.promise;
  if (!copying.ariaDisabled) return code.textContent;
  byId("id").focus();
}

// --- Pictures ------------------------------------------------------------------------------------

/** Shows the previews of a design, or empty frames if it has no picture. */
export function showPreviews(design: Design, hasPicture: boolean) {
  previews.dataset.kind = design.kind;
  const name = hasPicture ? /[^/]*(?=\/?$)/.exec(design.ids[0] ?? "")?.[0] : "";
  for (const title of previews.querySelectorAll(".title")) title.textContent = name ?? "";
  for (const image of previews.querySelectorAll("img")) {
    showPicture(image, design, hasPicture, `Preview on a ${image.id.slice(3)} page`);
  }
  showPicture(sight, design, hasPicture);
  byId("view-name").textContent = isSample(design)
    ? "Preview with sample numbers"
    : "Preview on light and dark";
}

function isSample({ ids }: Design) {
  return ids.length === 0 || !facts.openReads && !sessionToken();
}

/** Takes a picture that is not there out of the page, so that no earlier one stays. */
function blank(image: HTMLImageElement) {
  for (const name of ["src", "data-path"]) image.removeAttribute(name);
  image.alt = "";
}

/** Shows a picture without counting. If reads are protected, visitors see a sample. */
export async function showPicture(
  image: HTMLImageElement,
  design: Design,
  hasPicture: boolean,
  alt = "",
) {
  if (!hasPicture) return blank(image);
  const { kind, ids, looks } = design;
  const path = isSample(design)
    ? `sample/${kind}?${queryOf(looks)}`
    : `${kind}?${queryOf([...named(ids), ...looks])}`;
  image.alt = alt;
  if (image.dataset.path === path) return;
  image.dataset.path = path;
  if (facts.openReads || isSample(design)) {
    image.src = new URL(path, here).href;
    return;
  }
  const answer = await call(path, { headers: { accept: "image/svg+xml" } }).catch(() => undefined);
  if (!answer || image.dataset.path !== path) return;
  URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(await answer.blob());
}

function named(ids: readonly string[]): Choices {
  return ids.map((id) => ["id", id]);
}

// --- What is pasted ------------------------------------------------------------------------------

/** Shows what is pasted for a design, or what to do before. */
export function showLines({ isCounting, prefix, usesGroupKey }: Design, outcome: Outcome) {
  const isClear = outcome.obstacle === "";
  const isOwner = sessionToken() !== undefined;
  lines = outcome.lines;
  const hasLines = "URL" in lines;
  byId("obstacle").hidden = isClear;
  byId("to-field").textContent = outcome.obstacle;
  byId("keyless").hidden = !isClear || isOwner || !isCounting;
  byId("protected").hidden = !isClear || hasLines;
  byId("pasted").hidden = !hasLines;
  byId("copy").hidden = isClear && !hasLines;
  byId("safe").hidden = !isClear || !isOwner || !isCounting;
  byId("local").hidden = !isClear || !/^(localhost|127\.|\[)/.test(location.hostname);
  byId("opened").textContent = usesGroupKey ? `every counter under ${prefix}` : "this counter";
  copying.ariaDisabled = isClear ? null : "true";
  copying.setAttribute("aria-describedby", isClear ? "" : "obstacle");
  showLine();
  snippets.ariaBusy = "false";
  done.resolve();
}

/** Shows the line of the chosen format, or of the first one. */
function showLine() {
  const shown = format in lines ? format : "Markdown";
  for (const [index, name] of FORMATS.entries()) {
    tabs.element.children[index]?.toggleAttribute("hidden", !(name in lines));
  }
  tabs.mark(FORMATS.indexOf(shown));
  code.textContent = lines[shown] ?? "";
  copyName.textContent = `Copy ${shown}`;
}

/** Returns the lines of a design by their formats. */
export async function linesOf(
  { kind, ids, looks, isCounting, once, prefix, usesGroupKey, alt }: Design,
): Promise<Lines> {
  const [id = ""] = ids;
  const key = !isCounting || !sessionToken()
    ? "KEY"
    : (await (usesGroupKey ? keyOf("prefix", prefix) : keyOf("id", id))).key;
  const keyed: Choices = isCounting ? [["key", key]] : [];
  const shown = [...named(ids), ...looks];
  const address = addressOf(isCounting ? "hit.svg" : kind, [...shown, ...once, ...keyed]);
  const snippets: Record<string, string> = imageSnippets(address, alt);
  if (kind !== "badge") return snippets;
  snippets.Script = `${elementSnippet("tally-mark", [["counter", id], ...keyed, ...once])} views`;
  if (usesGroupKey) {
    snippets.List = elementSnippet("tally-top", [["prefix", prefix], ...keyed, ["limit", "5"]]);
  }
  if (!isCounting && facts.openReads) {
    const known = looks.filter(([name]) => facts.controls[name]?.shields);
    const url = addressOf("badge.json", [...named(ids), ...known]);
    snippets["shields.io"] = `https://img.shields.io/endpoint?${new URLSearchParams({ url })}`;
  }
  return snippets;
}
