import type { ParameterObject } from "../openapi/responses.ts";
import type { describeRoutes, Operation, PathItem } from "../openapi/document.ts";
import { inHtml } from "../http/response.ts";
import { compose, type Page } from "./compose.ts";
import pageStyle from "../browser/page.css" with { type: "text" };
import ownStyle from "../browser/reference.css" with { type: "text" };
import script from "../browser/built/api.min.js" with { type: "text" };

/** The credentials of endpoints: a header or parameter, or `Authorization` if it has no name. */
interface SecuritySchemes {
  readonly [scheme: string]: { readonly name?: string; readonly description: string };
}

/** The groups of endpoints, in the order of the page, by their tags. */
const GROUPS: readonly (readonly [tag: Operation["tags"][number], title: string, lead: string])[] =
  [
    ["Counters", "Count and read", "Count hits, and read the numbers of counters and groups."],
    ["Badges", "Pictures", "Each is an SVG. With `.png` at the end of its path it is a PNG."],
    ["Owners", "Manage", "Keys, import, export and deletion. They need the secret."],
    ["Service", "Run", "The page, its scripts, and what tells how the service is."],
  ];

/** Composes the reference: the parameters, responses and a command of each endpoint. */
export async function composeReference(
  { info, paths, components: { securitySchemes } }: ReturnType<typeof describeRoutes>,
): Promise<Page> {
  const endpoints = Object.entries(paths).flatMap(([path, item]) =>
    documentedOperations(item, { path, securitySchemes })
  );
  const groups = GROUPS.map(([tag, title, lead]) => ({
    tag,
    title,
    lead,
    own: endpoints.filter(({ operation }) => operation.tags[0] === tag),
  }));
  const sections = groups.map(({ tag, title, lead, own }) =>
    `<section id="${tag}"><h2>${title}</h2><p class="lead">${marked(lead)}</p>` +
    `${own.map(operationSection).join("")}</section>`
  );
  const side = groups.map(({ title, own }) =>
    `<details><summary>${title} <small>${own.length}</small></summary>` +
    own.map((one) => `<a href="#${idOf(one)}">${inHtml(one.path)}</a>`).join("") + `</details>`
  );
  const jumps = groups.map(({ title, own }) =>
    `<optgroup label="${title}">` + own.map((one) =>
      `<option value="#${idOf(one)}">${one.methods.join(", ")} ${inHtml(one.path)}</option>`
    ).join("") + `</optgroup>`
  );
  const rules = info.description.split(/(?<=\.) (?=[A-Z`])/).map((rule) =>
    `<li>${marked(rule)}</li>`
  );
  const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="color-scheme" content="light dark">` +
    `<title>API · Tallymark</title><link rel="stylesheet" href="page.css"></head><body>` +
    `<header class="top"><div><a class="brand" href="." aria-label="Tallymark">${MARK}<b>Tallymark</b></a>` +
    `<nav aria-label="Main"><a class="owner" href=".#counters" hidden>Counters</a>` +
    `<a href=".#badges">Badges</a><a class="owner" href=".#requests" hidden>Requests</a>` +
    `<a class="owner" href=".#data" hidden>Data</a><a href="api" aria-current="page">API</a></nav>` +
    `<button type="button" id="session" class="quiet" hidden></button></div></header>` +
    `<main><div class="head"><h1>API</h1><a class="button end" href="openapi.json">OpenAPI 3.1</a></div>` +
    `<p class="lead">Each thing that this service does is one HTTP request. ` +
    `The lines contain the address of your server. Copy one, and it runs.</p>` +
    `<div class="lay"><div class="side"><select class="jump" aria-label="Go to an endpoint">${
      jumps.join("")
    }</select>` +
    `<nav aria-label="Endpoints">${side.join("")}</nav></div>` +
    `<div>${sections.join("")}<section id="rules"><h2>Errors</h2>` +
    `<ul class="panel rules">${rules.join("")}</ul></section></div></div></main>` +
    `<script type="module" src="page.js"></script></body></html>`;
  const style = pageStyle + ownStyle;
  return await compose(html, { style, script, sources: "img-src data:" });
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

/** Returns the id of the section of an operation. */
function idOf({ path, methods }: DocumentedOperation): string {
  return `${methods[0]}${path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

function operationSection(documented: DocumentedOperation): string {
  const { path, methods, operation, securitySchemes } = documented;
  const { summary, description = "", parameters, responses, security } = operation;
  const when = isOpen(operation) ? "If reads are protected. " : "";
  const schemes = security.flatMap((way) => Object.keys(way));
  const rows = [
    ...parameters.map(({ name, description, schema }) =>
      tableRow(name, formatValues(schema), description)
    ),
    ...schemes.map((scheme) => {
      const { name = "Authorization", description = "" } = securitySchemes[scheme] ?? {};
      return tableRow(name, "", when + description);
    }),
  ];
  const answers = Object.entries(responses).map(([status, { description }]) =>
    `<span><b>${status}</b> ${marked(description)}</span>`
  );
  const ways = methods.map((method) => `<span class="method">${method}</span>`);
  return `<section class="panel ends" id="${idOf(documented)}">` +
    `<h3>${ways.join("")} <code>${inHtml(path)}</code></h3>` +
    `<small class="who">${
      isOpen(operation) ? "open to everyone" : "with a key or the secret"
    }</small>` +
    `<p>${marked(summary)}. ${marked(description)}</p>` +
    `<pre tabindex="0">${inHtml(commandFor(documented))}</pre>` +
    (rows.length === 0
      ? ""
      : `<table><thead><tr><th scope="col">Parameter</th><th scope="col">Values, <b>default</b></th>` +
        `<th scope="col">Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table>`) +
    `<p class="answers">${answers.join("")}</p></section>`;
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

function tableRow(name: string, values: string, meaning: string): string {
  return `<tr><th scope="row"><code>${inHtml(name)}</code></th><td>${values}</td>` +
    `<td>${marked(meaning)}</td></tr>`;
}

/** Returns the values of a parameter as HTML, with the default in bold. */
function formatValues(schema: ParameterObject["schema"]): string {
  const { enum: values, minimum, maximum, default: byDefault } = schema;
  const usual = byDefault === undefined ? "" : `<b>${inHtml(String(byDefault))}</b>`;
  if (Array.isArray(values)) {
    return values.map((value) => value === byDefault ? usual : inHtml(String(value))).join(" ");
  }
  return [minimum === undefined ? "" : `${minimum} to ${maximum}`, usual]
    .filter((part) => part !== "").join(", ");
}

/** Converts Markdown code spans to HTML. */
function marked(text: string): string {
  return inHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}
