import { choice, copyButton, fill, make } from "./elements.ts";
import { here } from "./session.ts";

/** Text as part of a query, which keeps its slashes and what Markdown would take for its own out. */
export function inQuery(text: string) {
  return encodeURIComponent(text)
    .replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%2F", "/")
    .replaceAll("%20", "+");
}

export function queryOf(pairs: readonly (readonly [name: string, value: string])[]) {
  return pairs.map(([name, value]) => `${name}=${inQuery(value)}`).join("&");
}

export function inHtml(text: string) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** What is pasted where, for the address of an image and the words for those who do not see it. */
export function imageSnippets(address: string, alt: string) {
  return {
    Markdown: `![${alt.replace(/[\\[\]<>&*_`]/g, "\\$&")}](${address})`,
    HTML: `<img alt="${inHtml(alt)}" src="${inHtml(address)}">`,
    reST: `.. image:: ${address}\n   :alt: ${alt.replace(/[\\*`|_]/g, "\\$&")}`,
    // Within quotes a comma does not end the text.
    AsciiDoc: `image:${address}["${alt.replace(/["\]\\]/g, "\\$&")}"]`,
    URL: address,
  };
}

/** An element that tally.js fills, with what loads the script. */
export function elementSnippet(
  element: "tally-mark" | "tally-top",
  attributes: readonly (readonly [name: string, value: string])[],
) {
  const script = inHtml(new URL("tally.js", here).href);
  const list = attributes.map(([name, value]) => ` ${name}="${inHtml(value)}"`).join("");
  const content = element === "tally-mark" ? "–" : "";
  return `<script async src="${script}"><\/script>\n<${element}${list}>${content}</${element}>`;
}

/** What is pasted in the format that is chosen, and a button that copies it. */
export function snippetBox(
  id: string,
  snippets: Record<string, string>,
  first: string,
  choose: (format: string) => string,
) {
  const code = make("pre", { id, role: "tabpanel", tabindex: 0, "aria-label": "To paste" });
  const copying = make("div");
  const formats = Object.keys(snippets);
  const chosen = Math.max(0, formats.indexOf(first));
  show(chosen);

  function show(index: number) {
    const format = formats[index] ?? "";
    const text = snippets[format] ?? "";
    code.textContent = text;
    fill(copying, copyButton(choose(format), () => text, `Copy ${format}`));
  }

  return [choice("Format", formats, chosen, show, id).element, make(".paste", code, copying)];
}
