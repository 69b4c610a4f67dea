import { style as badgeStyle } from "../badge/parameters.ts";
import type { Route } from "../http/endpoint.ts";
import type { ParameterSchema } from "../http/query.ts";
import css from "./page.css" with { type: "text" };
import html from "./page.html" with { type: "text" };
import script from "./page.min.js" with { type: "text" };

/** A page whose every part is known, and a policy that lets nothing else run in it. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

/** Puts the parts of the page and what it knows of the service into one document. */
export async function composePage(facts: PageFacts): Promise<Page> {
  const style = css.replaceAll(/^ +/gm, "");
  const [styleHash, scriptHash] = await Promise.all([style, script].map(hashOf));
  return {
    html: html
      .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
      .replace("<!--styles-->", () => stylesWithoutScript(facts))
      .replace('id="facts">', (start) => start + inScript(facts))
      .replace(' src="page.js">', () => `>${script}`),
    policy: `default-src 'none'; script-src ${scriptHash}; style-src ${styleHash}; ` +
      "img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  };
}

function stylesWithoutScript({ openReads }: PageFacts): string {
  const path = openReads ? "badge" : "sample/badge";
  return STYLES.map((name) => `<img alt=${name} src=${path}?style=${name}> `).join("");
}

/** JSON that no part of can end the element it stands in. */
function inScript(facts: PageFacts): string {
  return JSON.stringify(facts).replaceAll("<", "\\u003c");
}

/** How a policy names a script or a style that it lets through. */
export async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

/** What the page knows of a parameter of how a picture looks, which it makes a control from. */
export interface Control extends Pick<ParameterSchema, "default" | "enum" | "minimum" | "maximum"> {
  /** The pictures that it shapes, by their places in `PICTURES`; badges alone if left out. */
  readonly in?: readonly number[];
  /** The styles in which nothing is seen of it, by their places in the list of styles. */
  readonly unseen?: readonly number[];
  /** False if a counting image does not take it. */
  readonly counting?: false;
  /** True if shields.io takes it. */
  readonly shields?: true;
}

/** What the page knows of the service. */
export interface PageFacts {
  readonly controls: Readonly<Record<string, Control>>;
  /** The defaults that are others in the pictures that are no badge. */
  readonly defaults: Readonly<Record<string, string | number>>;
  /** Whether pictures can be seen without the secret. */
  readonly openReads: boolean;
}

/** What a page of a service with these endpoints knows of it. */
export function factsOf(endpoints: readonly Route[], openReads: boolean): PageFacts {
  const parametersOf = (path: string) =>
    endpoints.find((endpoint) => endpoint.path === path && endpoint.methods.includes("GET"))
      ?.parameters ?? [];
  const takes = (path: string, wanted: string) =>
    parametersOf(path).some(({ name }) => name === wanted);
  const controls: Record<string, Control> = {};
  const defaults: Record<string, string | number> = {};
  for (const { name, schema } of PICTURES.flatMap(parametersOf)) {
    if (NO_LOOKS.includes(name)) continue;
    const known = controls[name];
    if (known && schema.default !== undefined && schema.default !== known.default) {
      defaults[name] = schema.default;
    }
    const { type: _, maxLength: __, ...values } = schema;
    const unseen = UNSEEN[name]?.map((style) => STYLES.indexOf(style));
    const shaped = PICTURES.flatMap((path, index) => takes(path, name) ? [index] : []);
    controls[name] ??= {
      ...values,
      ...(name === "style" && { enum: STYLES }),
      ...(shaped.some((place) => place > 0) && { in: shaped }),
      ...(unseen && { unseen }),
      ...(takes("/badge", name) && !takes("/hit.svg", name) && { counting: false }),
      ...(takes("/badge.json", name) && { shields: true }),
    };
  }
  return { controls, defaults, openReads };
}

/** The styles whose tiles are larger, at the top. */
const LARGE = ["pill", "terminal"];
/** In the order of their tiles; `flat` is another name of `classic`, which would show the same badge twice. */
const STYLES: readonly string[] = [
  ...LARGE,
  ...badgeStyle.schema.enum.filter((name) => ![...LARGE, "flat"].includes(name)),
];

/** The pictures that the page builds, in the order of its tabs. */
const PICTURES = ["/badge", "/chart.svg", "/calendar.svg", "/card.svg"];

/** What says which counters are shown and to whom, and not how. */
const NO_LOOKS = ["id", "prefix", "once", "visitor", "key", "token"];

const SHIELDS = ["classic", "flat-square", "plastic", "for-the-badge"];
const WORDLESS = ["odometer", "flap", "led"];
const DIGITS = [...WORDLESS, "pixel"];

/** The styles in which nothing is seen of a parameter. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  label: WORDLESS,
  bg: [...SHIELDS, "social", ...WORDLESS],
  labelColor: WORDLESS,
  valueColor: SHIELDS,
  font: DIGITS,
  numbers: DIGITS,
  locale: DIGITS,
  theme: DIGITS,
  spark: ["plastic", "for-the-badge", "social", ...DIGITS],
  logo: ["terminal", ...DIGITS],
  logoColor: ["terminal", ...DIGITS],
  digits: [...SHIELDS, "social", "pill", "terminal"],
};
