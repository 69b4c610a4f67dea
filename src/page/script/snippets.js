// @ts-check
import { choice, copyButton, fill, make } from "./elements.js";
import { here } from "./session.js";

/** Text as part of a query, which keeps its slashes and what Markdown would take for its own out. @param {string} text */
export function inQuery(text) {
  return encodeURIComponent(text)
    .replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%2F", "/")
    .replaceAll("%20", "+");
}

/** @param {readonly (readonly [name: string, value: string])[]} pairs */
export function queryOf(pairs) {
  return pairs.map(([name, value]) => `${name}=${inQuery(value)}`).join("&");
}

/** @param {string} text */
export function inHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/**
 * What is pasted where, for the address of an image and the words for those who do not see it.
 * @param {string} address
 * @param {string} alt
 */
export function imageSnippets(address, alt) {
  return {
    Markdown: `![${alt.replace(/[\\[\]<>&*_`]/g, "\\$&")}](${address})`,
    HTML: `<img alt="${inHtml(alt)}" src="${inHtml(address)}">`,
    reST: `.. image:: ${address}\n   :alt: ${alt.replace(/[\\*`|_]/g, "\\$&")}`,
    // Within quotes a comma does not end the text.
    AsciiDoc: `image:${address}["${alt.replace(/["\]\\]/g, "\\$&")}"]`,
    URL: address,
  };
}

/**
 * An element that tally.js fills, with what loads the script.
 * @param {"tally-mark" | "tally-top"} element
 * @param {readonly (readonly [name: string, value: string])[]} attributes
 */
export function elementSnippet(element, attributes) {
  const script = inHtml(new URL("tally.js", here).href);
  const list = attributes.map(([name, value]) => ` ${name}="${inHtml(value)}"`).join("");
  const content = element === "tally-mark" ? "–" : "";
  return `<script async src="${script}"><\/script>\n<${element}${list}>${content}</${element}>`;
}

/**
 * What is pasted in the format that is chosen, and a button that copies it.
 * @param {string} id of the element with the text
 * @param {Record<string, string>} snippets by format
 * @param {string} first
 * @param {(format: string) => string} choose is told the format and returns what the button says
 */
export function snippetBox(id, snippets, first, choose) {
  const code = make("pre", { id, role: "tabpanel", tabindex: 0, "aria-label": "To paste" });
  const copying = make("div");
  const formats = Object.keys(snippets);
  const chosen = Math.max(0, formats.indexOf(first));
  show(chosen);

  /** @param {number} index */
  function show(index) {
    const format = formats[index] ?? "";
    const text = snippets[format] ?? "";
    code.textContent = text;
    fill(copying, copyButton(choose(format), () => text, `Copy ${format}`));
  }

  return [choice("Format", formats, chosen, show, id).element, make(".paste", code, copying)];
}
