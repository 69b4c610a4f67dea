import { style } from "../badge/parameters.ts";
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
  readonly script: string;
}

/** Puts the parts of the page and the facts of the service into one document. */
export async function composePage(
  { html, css, script }: PageParts,
  facts: PageFacts,
): Promise<Page> {
  const packed = withoutComments(script);
  const [styleHash, scriptHash] = await Promise.all([css, packed].map(hashOf));
  return {
    html: html
      .replace(`<link rel="stylesheet" href="page.css">`, () => `<style>${css}</style>`)
      .replace("<!--styles-->", () => stylesWithoutScript(facts))
      .replace(`id="facts">`, (start) => start + inScript(facts))
      .replace(` src="page.js">`, () => `>${packed}`),
    policy: `default-src 'none'; script-src ${scriptHash}; style-src ${styleHash}; ` +
      "img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  };
}

/** The script without what only its writers read: whole lines of comments, and what lines are indented by. */
function withoutComments(script: string): string {
  return script.replace(/^ *(?:\/\*\*(?:(?!\*\/)[^])*\*\/|\/\/.*)\n/gm, "").replace(/^ +/gm, "");
}

/** Other names of a style, which would show the same badge twice. */
const ALIASES: readonly string[] = ["flat"];

function stylesWithoutScript({ openReads }: PageFacts): string {
  const path = openReads ? "badge" : "sample/badge";
  return style.schema.enum.filter((name) => !ALIASES.includes(name)).map((name) =>
    `<li><img alt="${name}" src="${path}?style=${name}"> <code>style=${name}</code></li>`
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
