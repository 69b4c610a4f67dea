import { STYLES } from "../badge/styles.ts";
import { SHIELDS_COLORS } from "../drawing/color.ts";
import type { Route } from "../http/endpoint.ts";
import { ICON } from "../http/problem_page.ts";
import { inHtml } from "../http/response.ts";
import type { ParameterSchema } from "../http/query.ts";
import builderCss from "../browser/owner/builder/builder.css" with { type: "text" };
import builder from "../browser/owner/builder/builder.html" with { type: "text" };
import counters from "../browser/owner/counters/counters.html" with { type: "text" };
import countersCss from "../browser/owner/counters/counters.css" with { type: "text" };
import css from "../browser/owner/page.css" with { type: "text" };
import signInCss from "../browser/owner/sign_in/sign_in.css" with { type: "text" };
import dataCss from "../browser/owner/data/data.css" with { type: "text" };
import sharedCss from "../browser/shared/shared.css" with { type: "text" };
import main from "../browser/owner/page.html" with { type: "text" };
import script from "../browser/built/page.min.js" with { type: "text" };
import dataScript from "../browser/built/data.min.js" with { type: "text" };
import sharedScript from "../browser/built/shared.min.js" with { type: "text" };

/**
 * Composes the page as one document. An import map has the hash of the script that it loads later,
 * because the policy allows nothing else.
 */
export async function composePage(facts: PageFacts, publicUrl?: string) {
  const hash = (await hashOf(dataScript)).slice(1, -1);
  const imports = JSON.stringify({ integrity: { "./data.js": hash } });
  const filled = main.replace("<!--counters-->", () => counters)
    .replace("<!--builder-->", () => builder)
    .replaceAll(/\n +(?=<\/)|^ +/gm, "")
    .replace("<!--styles-->", () => stylesWithoutScript(facts))
    // No text of the facts ends their element.
    .replace('id="facts">', (start) => start + JSON.stringify(facts).replaceAll("<", "\\u003c"))
    .replace('type="importmap">', (start) => start + imports);
  return await compose({
    head: "<title>Tallymark</title>",
    top: `<a class="button skip" id="skip" href="#"></a>${NAVIGATION}`,
    main: filled,
    style: countersCss + builderCss + dataCss + signInCss,
    script,
    sources: PAGE_SOURCES,
    others: [imports, dataScript],
    publicUrl,
  });
}

/** Composes the page of a group, whose head the server completes for each request. */
export async function composeSharedPage(publicUrl?: string) {
  return await compose({
    head: "<!--head-->",
    top: `<div><span class="brand">${MARK}</span></div>`,
    main: SHARED_MAIN,
    style: sharedCss,
    script: sharedScript,
    sources: PAGE_SOURCES,
    publicUrl,
  });
}

const SHARED_MAIN = `<main id="shared"><noscript><h1>Shared page</h1>
<p>Turn on JavaScript to see the numbers.</p></noscript></main>`;
const MARK =
  `<svg viewBox="0 0 24 24" stroke="#17957f" stroke-width="2.4" stroke-linecap="round" aria-hidden="true"><path d="M4.5 5v14M9.5 5v14M14.5 5v14M19.5 5v14"/><path class="strike" d="M1.5 16.5L22.5 7.5"/></svg><b>Tallymark</b>`;
/** The top of pages that lead to the others. Their scripts show the owner's links to the owner. */
export const NAVIGATION = `<div><a class="brand" href=".#" aria-label="Tallymark">${MARK}</a>
<nav aria-label="Main">
<a href=".#counters" class="owner" hidden>Counters</a>
<a href=".#badges">Badges</a>
<a href=".#requests" class="owner" hidden>Requests</a>
<a href=".#data" class="owner" hidden>Data</a>
<a href="api">API</a>
</nav>
<button type="button" id="session" hidden>Sign in</button></div>`;
const PAGE_SOURCES = "img-src 'self' blob: data:; connect-src 'self'";

interface Parts {
  readonly head: string;
  /** The content of the bar at the top. */
  readonly top: string;
  readonly main: string;
  /** The rules that only this page has. */
  readonly style?: string;
  readonly script: string;
  /** The directives for other content. */
  readonly sources: string;
  /** Further scripts that the policy allows. */
  readonly others?: readonly string[];
  /** The address of the service for others. The scripts take that of the page without it. */
  readonly publicUrl?: string | undefined;
}

/**
 * Composes a document with the style that all pages have. Its Content-Security-Policy allows
 * nothing but its own parts.
 */
export async function compose(
  { head, top, main, style = "", script, sources, others = [], publicUrl }: Parts,
): Promise<{ html: string; policy: string }> {
  const address = publicUrl === undefined
    ? ""
    : `<meta name="public-url" content="${inHtml(publicUrl)}">`;
  const rules = minified(css + style);
  const [styleHash, ...hashes] = await Promise.all([rules, script, ...others].map(hashOf));
  return {
    html: `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<style>${rules}</style>
${address}${ICON}
</head>
<body>
<header class="top">${top}</header>
${main}
<p id="said" class="sr" role="status"></p>
<script type="module">${script}</script>
</body>
</html>
`,
    policy:
      `default-src 'none'; script-src ${hashes.join(" ")}; style-src ${styleHash}; ${sources}; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types 'none'",
  };
}

/** Returns rules without comments, and without space that browsers do not need. */
function minified(rules: string): string {
  return rules.replaceAll(/\/\*[^]*?\*\/|^ +|(?<=[{},;:>])\s| (?=[{>])|;(?=\s*\})/gm, "")
    .replaceAll("}\n", "}");
}

function stylesWithoutScript({ openReads }: PageFacts): string {
  const path = openReads ? "badge" : "sample/badge";
  return TILES.map(({ names: [name] }) => `<img alt=${name} src=${path}?style=${name}> `).join("");
}

/** Returns the source expression of an inline script or style in a policy. */
async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

/** An appearance parameter, from which the page creates a control. */
export interface Control
  extends Pick<ParameterSchema, "default" | "enum" | "examples" | "minimum" | "maximum"> {
  /** The pictures that take it, as indexes of `PICTURES`. Undefined for badges only. */
  readonly in?: readonly number[];
  /** The styles in which it has no effect, as indexes of the list of styles. */
  readonly unseen?: readonly number[];
  /** False if counting images do not take it. */
  readonly counting?: false;
  /** True if shields.io takes it. */
  readonly shields?: true;
}

/** The facts about the service that the page contains. */
export interface PageFacts {
  readonly controls: Readonly<Record<string, Control>>;
  /** The defaults of charts, calendars and cards that differ from those of badges. */
  readonly defaults: Readonly<Record<string, string | number>>;
  /** The colors of shields.io in hex, by the first name of each. */
  readonly colors: Readonly<Record<string, string>>;
  /** True if pictures are public. */
  readonly openReads: boolean;
}

/** Returns the facts about a service with these endpoints. */
export function factsOf(endpoints: readonly Route[], openReads: boolean): PageFacts {
  const parametersOf = (path: string) =>
    endpoints.find((endpoint) => endpoint.path === path && endpoint.methods.includes("GET"))
      ?.parameters ?? [];
  const takes = (path: string, wanted: string) =>
    parametersOf(path).some(({ name }) => name === wanted);
  const controls: Record<string, Control> = {};
  const defaults: Record<string, string | number> = {};
  for (const { name, schema } of PICTURES.flatMap(parametersOf)) {
    if (NOT_APPEARANCE.includes(name)) continue;
    const known = controls[name];
    if (known && schema.default !== undefined && schema.default !== known.default) {
      defaults[name] = schema.default;
    }
    const { type: _, maxLength: __, ...values } = schema;
    const unseen = TILES.flatMap(({ ignores }, index) =>
      ignores.some((ignored) => ignored === name) ? [index] : []
    );
    const shaped = PICTURES.flatMap((path, index) => takes(path, name) ? [index] : []);
    controls[name] ??= {
      ...values,
      ...(name === "style" && { enum: TILES.map(({ names }) => names[0]) }),
      ...(shaped.some((place) => place > 0) && { in: shaped }),
      ...(unseen.length > 0 && { unseen }),
      ...(takes("/badge", name) && !takes("/hit.svg", name) && { counting: false }),
      ...(takes("/badge.json", name) && { shields: true }),
    };
  }
  const colors = [...SHIELDS_COLORS].filter(([, color], index, all) =>
    all.findIndex(([, other]) => other === color) === index
  );
  return { controls, defaults, colors: Object.fromEntries(colors), openReads };
}

/** The styles whose tiles are larger, at the top. */
const LARGE = ["pill", "terminal"];
/** The styles in the order of their tiles. */
const TILES = [...new Set(STYLES.values())]
  .toSorted((one, other) => Number(isLarge(other)) - Number(isLarge(one)));

function isLarge({ names }: { readonly names: readonly string[] }): boolean {
  return names.some((name) => LARGE.includes(name));
}

/** The pictures that the page builds, in the order of its tabs. */
const PICTURES = ["/badge", "/chart.svg", "/calendar.svg", "/card.svg"];

/** The parameters of pictures that do not change their appearance. */
const NOT_APPEARANCE = ["id", "prefix", "once", "visitor", "key", "token"];
