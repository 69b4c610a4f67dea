import { keyOf } from "../counters/counter.ts";
import { base, here } from "../../lib/browser.ts";
import { choice } from "../../lib/choice.ts";
import { copyButton } from "../../lib/clipboard.ts";
import { byId, fill, make } from "../../lib/make.ts";
import { errorMessage } from "../../lib/words.ts";
import type { Choices, Result } from "./design.ts";
import { call, facts, sessionToken } from "../sign_in/session.ts";
import { elementSnippet, imageSnippets, queryOf } from "../../lib/snippets.ts";

/** The state of the preview and the snippets. */
const shown = {
  /** Number of the last design, by which late responses to earlier ones are ignored. */
  turn: 0,
  /** Settled once the snippets show the last design. */
  done: Promise.withResolvers<void>(),
  /** The step before there is a line to paste, or empty. */
  obstacle: "",
  format: "Markdown",
  /** The lines by their formats. */
  texts: {} as Record<string, string>,
};

const previews = byId("previews");
const sight = byId<HTMLImageElement>("sight");
const snippets = byId("snippets");
const obstacleLine = byId("obstacle");
const pasted = byId("pasted");
const tabs = byId("formats");
const code = byId("code");
const bar = byId("copy");
const copyName = make("span");
// It stays while the design changes, so that no click on it is lost.
const copying = copyButton(copyName, lineToCopy);
copying.className = "primary";
bar.append(copying);
byId("host").textContent = location.hostname;
byId("to-field", { click: () => byId("id").focus() });
for (const image of [...previews.querySelectorAll("img"), sight]) {
  image.addEventListener("error", () => blank(image));
}

/** Reports whether a design is the last one. */
export function isCurrent(mine: number) {
  return mine === shown.turn;
}

/** Marks the snippets as outdated. Returns the number of the new design. */
export function awaitResult() {
  if (snippets.ariaBusy !== "true") shown.done = Promise.withResolvers();
  snippets.ariaBusy = "true";
  return ++shown.turn;
}

/** Returns the line once it is that of the last design. Without one, the name has the focus. */
async function lineToCopy() {
  await shown.done.promise;
  if (shown.obstacle === "") return code.textContent ?? "";
  byId("id").focus();
}

// --- Pictures ------------------------------------------------------------------------------------

/** Shows the previews of a design, or empty frames if it has no picture. */
export function showPreviews(design: Result, hasPicture: boolean) {
  const { kind, ids } = design;
  previews.dataset.kind = kind;
  for (const title of previews.querySelectorAll(".title")) {
    title.textContent = /[^/]*(?=\/?$)/.exec(hasPicture && ids[0] || "")?.[0] ?? "";
  }
  for (const image of previews.querySelectorAll("img")) {
    image.alt = hasPicture ? `Preview on a ${image.id.slice(3)} page` : "";
    showPicture(image, design, hasPicture);
  }
  showPicture(sight, design, hasPicture);
  byId("view-name").textContent = isSample(design)
    ? "Preview with sample numbers"
    : "Preview on light and dark";
}

function isSample({ ids }: Result) {
  return ids.length === 0 || !facts.openReads && !sessionToken();
}

/** Takes a picture that is not there out of the page, so that no earlier one stays. */
function blank(image: HTMLImageElement) {
  image.removeAttribute("src");
  image.alt = "";
}

/** The path and session of each image. */
const pictured: WeakMap<HTMLImageElement, string> = new WeakMap();

/** Shows a picture without counting. If reads are protected, visitors see a sample. */
export async function showPicture(image: HTMLImageElement, design: Result, hasPicture: boolean) {
  const { kind, ids, looks } = design;
  const token = sessionToken();
  const path = isSample(design)
    ? `sample/${kind}?${queryOf(looks)}`
    : `${kind}?${queryOf([...named(ids), ...looks])}`;
  const wanted = hasPicture ? `${path} ${token}` : "";
  if (wanted !== "" && pictured.get(image) === wanted) return;
  pictured.set(image, wanted);
  if (!hasPicture) return image.removeAttribute("src");
  if (facts.openReads || isSample(design)) {
    image.src = new URL(path, here).href;
    return;
  }
  const answer = await call(path, { headers: { accept: "image/svg+xml" } }).catch(() => undefined);
  if (!answer || pictured.get(image) !== wanted) return;
  URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(await answer.blob());
}

function named(ids: readonly string[]): Choices {
  return ids.map((id) => ["id", id]);
}

// --- What is pasted ------------------------------------------------------------------------------

/**
 * Shows what is pasted for a design, whose number is `mine`. `obstacle` is the step before there is
 * a line, or empty.
 */
export async function showSnippets(design: Result, obstacle: string, mine: number) {
  const { isCounting, prefix, usesGroupKey } = design;
  const isClear = obstacle === "";
  const isOwner = sessionToken() !== undefined;
  const works = isClear && (isOwner || isCounting || facts.openReads);
  let failure: string | undefined;
  const texts = works && await snippetsOf(design).catch((error) => {
    failure = errorMessage(error);
  });
  if (!isCurrent(mine)) return;
  shown.obstacle = obstacle;
  shown.texts = texts || {};
  obstacleLine.hidden = isClear;
  byId("to-field").textContent = obstacle;
  byId("keyless").hidden = !isClear || isOwner || !isCounting;
  byId("protected").hidden = !isClear || isOwner || isCounting || facts.openReads;
  pasted.hidden = !texts;
  bar.hidden = !texts && isClear;
  copying.ariaDisabled = isClear ? null : "true";
  copying.setAttribute("aria-describedby", isClear ? "" : obstacleLine.id);
  showLine();
  snippets.ariaBusy = "false";
  shown.done.resolve();
  fill(byId("failure"), make("span", failure ?? ""), { hidden: failure === undefined });
  byId("safe").hidden = !isClear || failure !== undefined || !isOwner || !isCounting;
  byId("local").hidden = !isClear || !/^(localhost|127\.|\[)/.test(location.hostname);
  byId("opened").textContent = usesGroupKey ? `every counter under ${prefix}` : "this counter";
}

/** Shows the line of the chosen format, and the formats if they are others than before. */
function showLine() {
  const formats = Object.keys(shown.texts);
  const chosen = Math.max(0, formats.indexOf(shown.format));
  const format = formats[chosen] ?? shown.format;
  const pick = (index: number) => {
    shown.format = formats[index] ?? format;
    showLine();
  };
  if (tabs.dataset.formats !== formats.join()) {
    fill(tabs, choice("Format", formats, chosen, pick).element);
  }
  tabs.dataset.formats = formats.join();
  code.textContent = shown.texts[format] ?? "";
  copyName.textContent = `Copy ${format}`;
}

async function snippetsOf(
  { kind, ids, looks, isCounting, isOnce, prefix, usesGroupKey, alt }: Result,
): Promise<Record<string, string>> {
  const [id = ""] = ids;
  const key = !isCounting || !sessionToken()
    ? "KEY"
    : (await (usesGroupKey ? keyOf("prefix", prefix) : keyOf("id", id))).key;
  const once: Choices = isOnce ? [["once", "day"]] : [];
  const keyed: Choices = isCounting ? [["key", key]] : [];
  const addressOf = (path: string, choices: Choices) =>
    new URL(`${path}?${queryOf([...named(ids), ...choices])}`, base).href;
  const address = addressOf(isCounting ? "hit.svg" : kind, [...looks, ...once, ...keyed]);
  const snippets: Record<string, string> = imageSnippets(address, alt);
  if (kind !== "badge") return snippets;
  snippets.Script = `${elementSnippet("tally-mark", [["counter", id], ...keyed, ...once])} views`;
  if (usesGroupKey) {
    snippets.List = elementSnippet("tally-top", [["prefix", prefix], ...keyed, ["limit", "5"]]);
  }
  if (!isCounting && facts.openReads) {
    const url = addressOf("badge.json", looks.filter(([name]) => facts.controls[name]?.shields));
    snippets["shields.io"] = `https://img.shields.io/endpoint?${new URLSearchParams({ url })}`;
  }
  return snippets;
}
