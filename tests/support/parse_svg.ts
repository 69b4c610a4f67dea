import { SaxesParser } from "saxes";

/** One element of a badge: its name, its attributes in order, and the text directly inside. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  text: string;
}

/**
 * Reads an SVG strictly, namespaces included; throws at the first thing that XML does not allow.
 */
export function parseSvg(svg: string): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value] as const);
    const element = { name, attributes: new Map(values), text: "" };
    elements.push(element);
    open.push(element);
  });
  parser.on("text", (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on("closetag", () => {
    open.pop();
  });
  for (const event of ["comment", "processinginstruction", "doctype", "cdata"] as const) {
    parser.on(event, () => {
      throw new Error(`Found a ${event} in a badge`);
    });
  }
  parser.write(svg).close();
  return elements;
}

/** The value of an attribute of the first element of that name. */
export function attribute(elements: readonly Element[], name: string, key: string): string {
  return elements.find((element) => element.name === name)?.attributes.get(key) ?? "";
}

/** The elements that draw readable text, shadows left out: the label, then the message. */
export function texts(elements: readonly Element[]): Element[] {
  return elements.filter(({ name, attributes }) =>
    name === "text" && !attributes.has("fill-opacity")
  );
}

/** The ends of a text, in units of its parent. */
export function ends({ attributes }: Element): { left: number; right: number } {
  const [x = NaN, length = NaN] = ["x", "textLength"].map((key) => Number(attributes.get(key)));
  const left = attributes.get("text-anchor") === "middle" ? x - length / 2 : x;
  return { left, right: left + length };
}

/** The color of an element, `fill` or `stroke`, as a reader of light or dark pages sees it. */
export function seen(
  elements: readonly Element[],
  { attributes }: Element,
  { property = "fill", isDark }: { property?: string; isDark: boolean },
): string | undefined {
  const css = elements.filter(({ name }) => name === "style").map(({ text }) => text).join("");
  const rules = (attributes.get("class") ?? "").split(" ").map((name) =>
    name === "" ? undefined : css.split(`.${name}{${property}:`)[1]?.split("}")[0]
  );
  return isDark && rules.find((color) => color !== undefined) || attributes.get(property);
}

/** Element and attribute names in order, but for those that depend on the script of a text. */
export function skeleton(svg: string): string[] {
  return parseSvg(svg).map(({ name, attributes }) =>
    [name, ...attributes.keys()].filter((key) =>
      !/^(direction|text-anchor|lengthAdjust)$/.test(key)
    ).join(" ")
  );
}
