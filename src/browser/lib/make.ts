import { errorMessage } from "./words.ts";

// deno-fmt-ignore
type HtmlAttribute = "alt" | "autocapitalize" | "autofocus" | "checked" | "class" | "colspan" | "dir" | "disabled" | "download" | "for" | "hidden" | "href" | "id" | "loading" | "max" | "min" | "multiple" | "name" | "open" | "placeholder" | "popover" | "popovertarget" | "required" | "role" | "rows" | "scope" | "selected" | "spellcheck" | "tabindex" | "target" | "title" | "type" | "value";
type SvgAttribute = "d" | "preserveAspectRatio" | "viewBox";
type Value = string | number | boolean | undefined;

/** Attributes, and listeners by the names of their events. */
type Attributes =
  & { [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void }
  & { [Name in HtmlAttribute | SvgAttribute | `aria-${string}` | `data-${string}`]?: Value };

/** Content of an element, in any order. False and undefined are left out. */
type Content = Attributes | Node | string | false | undefined;

/** Returns an element of the page, and adds attributes and listeners to it. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string, more: Attributes = {}) {
  const element = document.getElementById(id) as Kind;
  setAttributes(element, more);
  return element;
}

/**
 * Creates an element, such as `make("p.small", "text")`. The default tag is `div`. Buttons have the
 * type `button` unless given, so that they do not submit forms.
 */
export function make<Name extends string>(name: Name, ...content: Content[]) {
  const create = (tag: string) => document.createElement(tag || "div");
  const isButton = name.startsWith("button") && { type: "button" };
  return (build(create, name, [isButton, ...content]) as Name extends `${infer Tag}.${string}`
    ? ElementOf<Tag>
    : ElementOf<Name>);
}

type ElementOf<Tag extends string> = Tag extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[Tag]
  : Tag extends "" ? HTMLDivElement
  : HTMLElement;

/** Creates an SVG element. */
export function draw(name: string, ...content: Content[]) {
  return build((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag), name, content);
}

function build<Made extends Element>(
  create: (tag: string) => Made,
  name: string,
  content: Content[],
) {
  const [tag = "", ...classes] = name.split(".");
  const element = create(tag);
  if (classes.length > 0) element.setAttribute("class", classes.join(" "));
  add(element, content);
  return element;
}

/** Replaces the content of an element. */
export function fill(element: Element, ...content: Content[]) {
  element.replaceChildren();
  add(element, content);
}

function add(element: Element, content: Content[]) {
  for (const part of content) {
    if (typeof part === "string" || part instanceof Node) element.append(part);
    else if (part) setAttributes(element, part);
  }
}

function setAttributes(element: Element, attributes: Attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      // A listener is given under the name of the event that it takes.
      element.addEventListener(name, value as EventListener);
    } else if (typeof value === "boolean" && !name.startsWith("aria-")) {
      element.toggleAttribute(name, value);
    } else if (value !== undefined) element.setAttribute(name, String(value));
  }
}

/**
 * Creates a table from its rows. Each column has a head, and the name of its cells as for `make`,
 * such as `td.num`.
 */
export function tableOf(
  name: string,
  columns: readonly (readonly [head: Content, cell: string])[],
  rows: readonly (readonly Content[])[],
) {
  const heads = columns.map(([head, cell]) =>
    make(cell.replace("td", "th"), { scope: "col" }, head)
  );
  const lines = rows.map((row) =>
    make("tr", ...columns.map(([, cell], index) => make(cell, row[index])))
  );
  return make(name, make("thead", make("tr", ...heads)), make("tbody", ...lines));
}

/** Runs a step, and shows its error in an element, as the content of a `name` if there is one. */
export async function orExplain(place: Element, step: () => Promise<unknown>, name?: string) {
  try {
    await step();
  } catch (error) {
    fill(place, name ? make(name, errorMessage(error)) : errorMessage(error));
  }
}
