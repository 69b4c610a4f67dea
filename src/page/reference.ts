import type { ParameterObject } from "../openapi/responses.ts";
import type { describeRoutes, Operation, PathItem } from "../openapi/document.ts";
import { inHtml } from "../http/response.ts";
import { compose, type Page } from "./compose.ts";
import pageStyle from "../browser/page.css" with { type: "text" };
import ownStyle from "../browser/reference.css" with { type: "text" };

/** The credentials of endpoints: a header or parameter, or `Authorization` if it has no name. */
interface SecuritySchemes {
  readonly [scheme: string]: { readonly name?: string; readonly description: string };
}

/** The groups of endpoints, in the order of the page, by their tags. */
const GROUPS: readonly (readonly [tag: Operation["tags"][number], title: string])[] = [
  ["Counters", "Count and read"],
  ["Badges", "Badges and charts"],
  ["Owners", "For the owner"],
  ["Service", "The service"],
];

/**
 * Inserts the address of the page into the commands, because behind a proxy only the browser knows
 * it, and sets the icon of the tab.
 */
const SCRIPT = `const home = new URL(".", location.href).href.slice(0, -1);
for (const line of document.querySelectorAll("pre")) {
  line.textContent = line.textContent.replace("$T", home);
}
const mark = new XMLSerializer().serializeToString(document.querySelector(".brand svg"));
const href = URL.createObjectURL(new Blob([mark], { type: "image/svg+xml" }));
document.head.append(Object.assign(document.createElement("link"), { rel: "icon", href }));`;

/** Composes the reference: the parameters, responses and a command of each endpoint. */
export async function composeReference(
  { info, paths, components: { securitySchemes } }: ReturnType<typeof describeRoutes>,
): Promise<Page> {
  const endpoints = Object.entries(paths).flatMap(([path, item]) =>
    documentedOperations(item, { path, securitySchemes })
  );
  const groups = GROUPS.map(([tag, title]) => {
    const own = endpoints.filter(({ operation }) => operation.tags[0] === tag);
    return `<section id="${tag}"><h2>${title}</h2>${own.map(operationSection).join("")}</section>`;
  });
  const links = GROUPS.map(([tag, title]) => `<a href="#${tag}">${title}</a>`);
  const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="color-scheme" content="light dark">` +
    `<title>API · Tallymark</title><link rel="stylesheet" href="page.css"></head><body>` +
    `<header class="top"><div><a class="brand" href="." aria-label="Tallymark">${MARK}<b>Tallymark</b></a>` +
    `<nav aria-label="Main"><a href=".#badges">Badges</a>` +
    `<a href="api" aria-current="page">API</a><a href="openapi.json">OpenAPI</a></nav></div>` +
    `</header><main><h1>API</h1><p>${marked(info.description)}</p>` +
    `<p class="links">${links.join(" ")}</p>${groups.join("")}</main>` +
    `<script type="module" src="page.js"></script></body></html>`;
  const style = pageStyle + ownStyle;
  return await compose(html, { style, script: SCRIPT, sources: "img-src blob:" });
}

const MARK =
  `<svg viewBox="0 0 24 24" stroke="#17957f" stroke-width="2.4" stroke-linecap="round" ` +
  `aria-hidden="true"><path d="M4.5 5v14M9.5 5v14M14.5 5v14M19.5 5v14"/>` +
  `<path class="strike" d="M1.5 16.5L22.5 7.5"/></svg>`;

/** Returns the operations of a path. Methods with the same summary are one operation. */
function documentedOperations(
  item: PathItem,
  about: { readonly path: string; readonly securitySchemes: SecuritySchemes },
) {
  const operations = Object.entries(item).filter(([method]) => method !== "head");
  const sections = Map.groupBy(operations, ([, { summary }]) => summary);
  return [...sections.values()].flatMap((same) => {
    const methods = same.map(([method]) => method.toUpperCase());
    const [, operation] = same[0] ?? [];
    return operation === undefined ? [] : [{ ...about, methods, operation }];
  });
}

type DocumentedOperation = Readonly<ReturnType<typeof documentedOperations>[number]>;

function operationSection(documented: DocumentedOperation): string {
  const { path, methods, operation, securitySchemes } = documented;
  const { summary, description = "", parameters, responses, security } = operation;
  const when = isOpen(operation) ? "If reads are protected. " : "";
  const schemes = security.flatMap((way) => Object.keys(way));
  const rows = [
    ...parameters.map(({ name, description, schema }) =>
      tableRow(name, `${marked(description)} ${inHtml(formatValues(schema))}`)
    ),
    ...schemes.map((scheme) => {
      const { name = "Authorization", description = "" } = securitySchemes[scheme] ?? {};
      return tableRow(name, when + marked(description));
    }),
  ];
  const answers = Object.entries(responses).map(([status, { description }]) =>
    `<li><strong>${status}</strong> ${marked(description)}</li>`
  );
  return `<section class="panel"><h3>${methods.join(", ")} <code>${inHtml(path)}</code></h3>` +
    `<p>${marked(summary)}. ${marked(description)}</p>` +
    `<pre tabindex="0">${inHtml(commandFor(documented))}</pre>` +
    (rows.length === 0
      ? ""
      : details("Parameters", `<table><tbody>${rows.join("")}</tbody></table>`)) +
    `${details("Responses", `<ul>${answers.join("")}</ul>`)}</section>`;
}

function commandFor({ path, methods, operation }: DocumentedOperation): string {
  const method = methods.at(-1) === "GET" ? "" : ` -X ${methods.at(-1)}`;
  const secret = isOpen(operation) ? "" : ` -H "X-Auth-Token: $SECRET_TOKEN"`;
  const body = operation.requestBody === undefined ? "" : " --data-binary @FILE";
  const takesId = operation.parameters.some(({ name, schema }) =>
    name === "id" && (schema.default !== undefined || method !== "")
  );
  return `curl${method}${secret}${body} "$T${path}${takesId ? "?id=home" : ""}"`;
}

function isOpen({ security }: Operation): boolean {
  return security.some((way) => Object.keys(way).length === 0);
}

function details(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>${content}</details>`;
}

function tableRow(name: string, html: string): string {
  return `<tr><th scope="row"><code>${inHtml(name)}</code></th><td>${html}</td></tr>`;
}

function formatValues(schema: ParameterObject["schema"]): string {
  const { enum: values, minimum, maximum, default: byDefault } = schema;
  const sentences = [
    Array.isArray(values) ? `One of ${values.join(", ")}.` : "",
    minimum === undefined ? "" : `${minimum} to ${maximum}.`,
    byDefault === undefined ? "" : `Default: ${byDefault}.`,
  ];
  return sentences.filter((part) => part !== "").join(" ");
}

/** Converts Markdown code spans to HTML. */
function marked(text: string): string {
  return inHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}
