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

/** Element and attribute names in order, but for those that depend on the script of a text. */
export function skeleton(svg: string): string[] {
  return parseSvg(svg).map(({ name, attributes }) =>
    [name, ...attributes.keys()].filter((key) => !/^(direction|lengthAdjust)$/.test(key)).join(" ")
  );
}
