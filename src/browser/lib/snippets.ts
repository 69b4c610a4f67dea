import { base } from "./browser.ts";
import { choice } from "./choice.ts";
import { copyButton } from "./clipboard.ts";
import { fill, make } from "./make.ts";

/** Encodes text for a query. Slashes stay, and characters that Markdown interprets are encoded. */
export function inQuery(text: string) {
  return encodeURIComponent(text)
    .replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%2F", "/")
    .replaceAll("%20", "+");
}

export function queryOf(pairs: readonly (readonly [name: string, value: string])[]) {
  return pairs.map(([name, value]) => `${name}=${inQuery(value)}`).join("&");
}

/** Returns an address of the service for others. */
export function addressOf(
  path: string,
  pairs: readonly (readonly [name: string, value: string])[],
) {
  return new URL(`${path}?${queryOf(pairs)}`, base).href;
}

export function inHtml(text: string) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

export function inMarkdown(text: string) {
  return text.replace(/[\\[\]<>&*_`]/g, "\\$&");
}

/** Returns the snippets of an image by format, with its alternative text. */
export function imageSnippets(address: string, alt: string) {
  return {
    Markdown: `![${inMarkdown(alt)}](${address})`,
    HTML: `<img alt="${inHtml(alt)}" src="${inHtml(address)}">`,
    reST: `.. image:: ${address}\n   :alt: ${alt.replace(/[\\*`|_]/g, "\\$&")}`,
    // Quotes, because a comma would end the text.
    AsciiDoc: `image:${address}["${alt.replace(/["\]\\]/g, "\\$&")}"]`,
    URL: address,
  };
}

/** Returns the HTML of an element of tally.js, with its script. */
export function elementSnippet(
  element: "tally-mark" | "tally-top",
  attributes: readonly (readonly [name: string, value: string])[],
) {
  const script = inHtml(new URL("tally.js", base).href);
  const list = attributes.map(([name, value]) => ` ${name}="${inHtml(value)}"`).join("");
  const content = element === "tally-mark" ? "–" : "";
  return `<script async src="${script}"><\/script>\n<${element}${list}>${content}</${element}>`;
}

/** Returns the choice of the formats, and the chosen snippet with its copy button. */
export function snippetBox(snippets: Record<string, string>) {
  const code = make("pre", { id: "paste", role: "group", tabindex: 0, "aria-label": "To paste" });
  const copying = make("div");
  const formats = Object.keys(snippets);
  show(0);

  function show(index: number) {
    const format = formats[index] ?? "";
    const text = snippets[format] ?? "";
    code.textContent = text;
    fill(copying, copyButton("Copy", () => text, `Copy ${format}`));
  }

  return [choice("Format", formats, 0, show).element, make(".paste", code, copying)];
}
