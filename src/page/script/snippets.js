// @ts-check

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
 * @returns {[name: string, text: string][]}
 */
export function imageSnippets(address, alt) {
  return [
    ["Markdown", `![${alt.replace(/[\\[\]<>&*_`]/g, "\\$&")}](${address})`],
    ["HTML", `<img alt="${inHtml(alt)}" src="${inHtml(address)}">`],
    ["reST", `.. image:: ${address}\n   :alt: ${alt.replace(/[\\*`|_]/g, "\\$&")}`],
    // Within quotes a comma does not end the text.
    ["AsciiDoc", `image:${address}["${alt.replace(/["\]\\]/g, "\\$&")}"]`],
    ["URL", address],
  ];
}

/**
 * The element that shows a counter on a page, and counts the page's views if it has a key.
 * @param {string} script the address of tally.js
 * @param {readonly (readonly [name: string, value: string])[]} attributes
 */
export function elementSnippet(script, attributes, element = "tally-mark", content = "–") {
  const list = attributes.map(([name, value]) => ` ${name}="${inHtml(value)}"`).join("");
  return `<script async src="${
    inHtml(script)
  }"><\/script>\n<${element}${list}>${content}</${element}>`;
}
