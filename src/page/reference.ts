import type { ParameterObject } from "../http/endpoint.ts";
import type { describeRoutes, Operation } from "../openapi/document.ts";
import { inHtml } from "../http/response.ts";
import { compose, NAVIGATION } from "./compose.ts";
import style from "../browser/api/reference.css" with { type: "text" };
import script from "../browser/built/api.min.js" with { type: "text" };

/** The credentials of endpoints in the order of the page: their names, and how they are sent. */
const KEYS = {
  tokenHeader: ["secret", "X-Auth-Token: …"],
  bearer: ["bearer token", "Authorization: Bearer …"],
  counterKey: ["counter key", "key=…"],
  readKey: ["read key", "key=…"],
} as const;
type Scheme = keyof typeof KEYS;

/** The paths of the service. */
type Paths = ReturnType<typeof describeRoutes>["paths"];

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
  publicUrl?: string,
) {
  const formats = Map.groupBy(Object.keys(paths), (path) => mainPath(path, paths));
  const endpoints = [...formats].flatMap(([path, same]) =>
    documentedOperations(path, same.filter((other) => other !== path), paths)
  );
  const groups = GROUPS.map(([tag, title, lead]) => ({
    tag,
    title,
    lead,
    listed: endpoints.filter(({ operation }) => operation.tags[0] === tag),
  }));
  const sections = groups.map(({ tag, title, lead, listed }) =>
    `<section id="${tag}"><h2>${title}</h2><p class="lead">${marked(lead)}</p>` +
    `${listed.map(operationSection).join("")}</section>`
  );
  const lists = groups.map(({ title, listed }) =>
    `<details><summary>${title} <small>${listed.length}</small></summary>` +
    listed.map((one) => `<a href="#${idOf(one)}">${inHtml(one.path)}</a>`).join("") + `</details>`
  );
  const jumps = groups.map(({ title, listed }) =>
    `<optgroup label="${title}">` + listed.map((one) =>
      `<option value="#${idOf(one)}">${one.methods.join(", ")} ${inHtml(one.path)}</option>`
    ).join("") + `</optgroup>`
  );
  const keys = Object.entries(KEYS).map(([scheme, [name, sent]]) =>
    tableRow(name, sent, securitySchemes[scheme as Scheme].description)
  );
  const errors = new Map(
    endpoints.flatMap(({ operation }) => Object.entries(operation.responses).filter(isError))
      .toSorted(([one], [other]) => Number(one) - Number(other)),
  );
  const statuses = [...errors].map(([status, { description }]) =>
    `<li><b>${status}</b> ${marked(description)}</li>`
  );
  const rules = info.description.split(/(?<=\.) (?=[A-Z`])/).map((rule) =>
    `<li>${marked(rule)}</li>`
  );
  const main =
    `<main><div class="head"><h1>API</h1><a class="button end" href="openapi.json">OpenAPI 3.1</a></div>` +
    `<p class="lead">Each thing that this service does is one HTTP request. ` +
    `The lines contain the address of your server. Copy one, and it runs. ` +
    `<code>$SECRET_TOKEN</code> stands for your secret. What errors mean is said once, at the end.</p>` +
    `<div class="lay"><div class="side"><select class="jump" aria-label="Go to an endpoint">` +
    `<option value="#keys">Keys</option>${jumps.join("")}<option value="#errors">Errors</option>` +
    `</select><nav aria-label="Endpoints"><a href="#keys">Keys</a>${lists.join("")}` +
    `<a href="#errors">Errors</a></nav></div><div><section><h2>Keys</h2>` +
    `<p class="lead">What opens an endpoint that is not open to everyone.</p>` +
    `<div class="panel ends" id="keys">${table("Kind", "How it is sent", keys)}</div></section>` +
    `${sections.join("")}<section><h2>Errors</h2>` +
    `<p class="lead">A problem document as JSON (RFC 9457), text or an image.</p>` +
    `<div class="panel ends" id="errors"><ul>${statuses.join("")}${rules.join("")}</ul></div>` +
    `</section></div></div></main>`;
  return await compose({
    head: "<title>API · Tallymark</title>",
    top: NAVIGATION.replace('"api"', '"api" aria-current="page"'),
    main,
    style,
    script,
    sources: "img-src data:",
    publicUrl,
  });
}

/** Returns the path whose image or number another path has as a PNG or as text, or the path. */
function mainPath(path: string, paths: Paths): string {
  const [, base = ""] = /^(.+)\.(png|txt)$/.exec(path) ?? [];
  return [`${base}.svg`, base].find((main) => main in paths) ?? path;
}

/**
 * Returns the operations of a path, with the parameters that only its other formats have. Methods
 * with the same summary are one operation.
 */
function documentedOperations(path: string, formats: readonly string[], paths: Paths) {
  const sections = Map.groupBy(Object.entries(paths[path] ?? {}), ([, { summary }]) => summary);
  return [...sections.values()].flatMap((same) => {
    const methods = same.map(([method]) => method.toUpperCase());
    const [method = "", operation] = same[0] ?? [];
    if (operation === undefined) return [];
    const others = formats.flatMap((format) => paths[format]?.[method] ?? []);
    const parameters = [operation, ...others].flatMap((one) => one.parameters);
    const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
    return [{ path, formats, methods, operation, parameters: [...byName.values()] }];
  });
}

type DocumentedOperation = Readonly<ReturnType<typeof documentedOperations>[number]>;

/** Returns the id of the section of an operation. */
function idOf({ path, methods }: DocumentedOperation): string {
  return `${methods[0]}${path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

function operationSection(documented: DocumentedOperation): string {
  const { path, formats, methods, operation, parameters } = documented;
  const { summary, description = "", responses } = operation;
  const rows = parameters.map(({ name, description, schema }) =>
    tableRow(`<code>${inHtml(name)}</code>`, formatValues(schema), description)
  );
  const answers = Object.entries(responses).filter((response) => !isError(response))
    .map(([status, { description }]) => `<span><b>${status}</b> ${marked(description)}</span>`);
  const errors = Object.entries(responses).filter(isError).map(([status]) => status);
  const ways = methods.map((method) => `<span class="method">${method}</span>`);
  const others = formats.map((format) => ` <small>${inHtml(format)}</small>`);
  return `<section class="panel ends" id="${idOf(documented)}">` +
    `<h3>${ways.join("")} <code>${inHtml(path)}</code>${others.join("")}</h3>` +
    `<small class="who">${whoMay(operation)}</small>` +
    `<p>${marked(summary)}. ${marked(description)}</p>` +
    `<div class="paste"><pre>${inHtml(commandFor(documented))}</pre></div>` +
    (rows.length === 0 ? "" : table("Parameter", "Values, <b>default</b>", rows)) +
    `<p class="answers">${answers.join("")}<a href="#errors">${
      errors.join(", ")
    }</a></p></section>`;
}

function isError([status]: readonly [status: string, ...unknown[]]): boolean {
  return Number(status) >= 400;
}

/** Names who may send a request, as a link to the keys. */
function whoMay({ security }: Operation): string {
  const names = security.flatMap(Object.keys).map((scheme) => KEYS[scheme as Scheme][0]);
  if (names.length === 0) return "open to everyone";
  const keys = `<a href="#keys">${names.join(", ").replace(/, (?=[^,]*$)/, " or ")}</a>`;
  return isOpen({ security }) ? `open, or if reads are protected: ${keys}` : keys;
}

function commandFor({ path, methods, operation }: DocumentedOperation): string {
  const method = methods.at(-1) === "GET" ? "" : ` -X ${methods.at(-1)}`;
  const secret = isOpen(operation) ? "" : ` -H "X-Auth-Token: $SECRET_TOKEN"`;
  const body = operation.requestBody === undefined ? "" : " --data-binary @FILE";
  return `curl${method}${secret}${body} "$T${path}${queryFor(operation, method)}"`;
}

/** Returns the query of the command, so that it names a counter or a group where it can. */
function queryFor({ parameters }: Operation, method: string): string {
  const schemaOf = (wanted: string) => parameters.find(({ name }) => name === wanted)?.schema;
  if (method !== "" && schemaOf("from")) return "?from=home&to=start";
  const id = schemaOf("id");
  if (id === undefined) return schemaOf("prefix") ? "?prefix=blog/" : "";
  return id.default !== undefined || id.type === "array" || method !== "" ? "?id=home" : "";
}

function isOpen({ security }: Pick<Operation, "security">): boolean {
  return security.some((way) => Object.keys(way).length === 0);
}

function table(first: string, second: string, rows: readonly string[]): string {
  const heads = [first, second, "Meaning"].map((head) => `<th scope="col">${head}</th>`);
  return `<table><thead><tr>${heads.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function tableRow(name: string, values: string, meaning: string): string {
  return `<tr><th scope="row">${name}</th><td>${values}</td><td>${marked(meaning)}</td></tr>`;
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
