import { style as badgeStyle } from "../badge/parameters.ts";
import type { PageFacts } from "./facts.ts";

/** A page whose every part is known, and a policy that lets nothing else run in it. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

/** The files that a page is made of. */
export interface PageParts {
  readonly html: string;
  readonly css: string;
  /** The modules of its script as one, which `deno task page` makes. */
  readonly script: string;
}

/** Puts the parts of the page and the facts of the service into one document. */
export async function composePage(
  { html, css, script }: PageParts,
  facts: PageFacts,
): Promise<Page> {
  const style = packedStyle(css);
  const [styleHash, scriptHash] = await Promise.all([style, script].map(hashOf));
  return {
    html: html
      .replace(`<link rel="stylesheet" href="page.css">`, () => `<style>${style}</style>`)
      .replace("<!--styles-->", () => stylesWithoutScript(facts))
      .replace(`id="facts">`, (start) => start + inScript(facts))
      .replace(` src="page.js">`, () => `>${script}`),
    policy: `default-src 'none'; script-src ${scriptHash}; style-src ${styleHash}; ` +
      "img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  };
}

/** A style sheet without comments and the space that only people need. */
export function packedStyle(css: string): string {
  return css
    .replace(/\/\*.*?\*\//g, "")
    .replace(/\s*\n\s*/g, "")
    .replace(/ ?([{~>]) ?|([:,]) /g, "$1$2")
    .replaceAll(";}", "}");
}

/** Other names of a style, which would show the same badge twice. */
const ALIASES: readonly string[] = ["flat"];

function stylesWithoutScript({ openReads }: PageFacts): string {
  const path = openReads ? "badge" : "sample/badge";
  return badgeStyle.schema.enum.filter((name) => !ALIASES.includes(name)).map((name) =>
    `<img alt="style=${name}" src="${path}?style=${name}"> `
  ).join("");
}

/** JSON that no part of can end the element it stands in. */
function inScript(facts: PageFacts): string {
  return JSON.stringify({ ...facts, aliases: ALIASES }).replaceAll("<", "\\u003c");
}

/** How a policy names a script or a style that it lets through. */
export async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}
