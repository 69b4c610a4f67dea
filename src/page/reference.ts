import type { ParameterObject } from "../openapi/answers.ts";
import type { Operation, PathItem } from "../openapi/document.ts";
import { hashOf, type Page } from "./compose.ts";

/** What the reference is drawn from: the description of the service for machines. */
export interface Described {
  readonly info: { readonly description: string };
  readonly paths: { readonly [path: string]: PathItem };
  readonly components: { readonly securitySchemes: Openers };
}

/** What may open an endpoint: a header or a parameter of this name, or `Authorization`. */
interface Openers {
  readonly [scheme: string]: { readonly name?: string; readonly description: string };
}

/** Puts every endpoint, its parameters, its answers and a line to paste into one document. */
export async function composeReference(described: Described, css: string): Promise<Page> {
  const { info, paths, components: { securitySchemes: openers } } = described;
  const endpoints = Object.entries(paths).map(([path, item]) =>
    endpointSection(item, { path, openers })
  );
  return {
    html: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">` +
      `<meta name="viewport" content="width=device-width, initial-scale=1">` +
      `<title>Tallymark: every endpoint</title><style>${css}</style></head><body>` +
      `<header><h1>Tallymark</h1><nav aria-label="Page"><a href=".">Build a badge</a>` +
      `<a href="openapi.json">OpenAPI</a></nav></header><main><p>${marked(info.description)}</p>` +
      `<p>In the lines to paste, <code>$T</code> is the address of this service.</p>` +
      `${endpoints.join("")}</main></body></html>`,
    policy: `default-src 'none'; style-src ${await hashOf(css)}; base-uri 'none'; ` +
      "form-action 'none'; frame-ancestors 'none'",
  };
}

/** The operations of a path, those that do the same told once. */
function endpointSection(item: PathItem, about: Pick<Told, "path" | "openers">): string {
  const operations = Object.entries(item).filter(([method]) => method !== "head");
  const sections = Map.groupBy(operations, ([, { summary }]) => summary);
  return [...sections.values()].map((same) => {
    const methods = same.map(([method]) => method.toUpperCase());
    const [, operation] = same[0] ?? [];
    return operation === undefined ? "" : operationSection({ ...about, methods, operation });
  }).join("");
}

interface Told {
  readonly path: string;
  readonly openers: Openers;
  readonly methods: readonly string[];
  readonly operation: Operation;
}

function operationSection(told: Told): string {
  const { path, methods, operation } = told;
  const { summary, description, parameters, responses } = operation;
  const rows = [...parameters.map(parameterRow), ...openerRows(told)];
  const answers = Object.entries(responses).map(([status, answer]) =>
    `<li><strong>${status}</strong> ${marked(answer.description)}</li>`
  );
  return `<section><h2>${methods.join(", ")} <code>${escaped(path)}</code></h2>` +
    `<p>${marked(summary)}. ${marked(description ?? "")}</p>` +
    `<pre tabindex="0">${escaped(commandFor(told))}</pre>` +
    (rows.length === 0 ? "" : details("Parameters", tableOf(rows))) +
    `${details("Answers", `<ul>${answers.join("")}</ul>`)}</section>`;
}

function commandFor({ path, methods, operation }: Told): string {
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

function parameterRow({ name, description, schema }: ParameterObject): string {
  return rowOf(name, `${marked(description)} ${escaped(valuesOf(schema))}`);
}

function openerRows({ operation, openers }: Told): string[] {
  const when = isOpen(operation) ? "Where reads are closed. " : "";
  return operation.security.flatMap((way) => Object.keys(way)).map((scheme) => {
    const { name = "Authorization", description = "" } = openers[scheme] ?? {};
    return rowOf(name, when + marked(description));
  });
}

function rowOf(name: string, html: string): string {
  return `<tr><th scope="row"><code>${escaped(name)}</code></th><td>${html}</td></tr>`;
}

function tableOf(rows: readonly string[]): string {
  return `<table class="words"><tbody>${rows.join("")}</tbody></table>`;
}

function valuesOf(schema: ParameterObject["schema"]): string {
  const { enum: values, minimum, maximum, default: usual } = schema;
  const told = [
    Array.isArray(values) ? `One of ${values.join(", ")}.` : "",
    minimum === undefined ? "" : `${minimum} to ${maximum}.`,
    usual === undefined ? "" : `Usually ${usual}.`,
  ];
  return told.filter((part) => part !== "").join(" ");
}

/** Text with what stands between backticks as code. */
function marked(text: string): string {
  return escaped(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
