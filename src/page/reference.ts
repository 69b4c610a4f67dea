import type { Operation, ParameterObject, PathItem } from "../openapi/document.ts";
import { hashOf, type Page } from "./compose.ts";

/** What the reference is drawn from: the description of the service for machines. */
export interface Described {
  readonly info: { readonly description: string };
  readonly paths: { readonly [path: string]: PathItem };
}

/** Puts every endpoint, its parameters, its answers and a line to paste into one document. */
export async function composeReference({ info, paths }: Described, css: string): Promise<Page> {
  const endpoints = Object.entries(paths).map(([path, item]) => endpointSection(path, item));
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
function endpointSection(path: string, item: PathItem): string {
  const operations = Object.entries(item).filter(([method]) => method !== "head");
  const sections = Map.groupBy(operations, ([, { summary }]) => summary);
  return [...sections.values()].map((same) => {
    const methods = same.map(([method]) => method.toUpperCase());
    const [, operation] = same[0] ?? [];
    return operation === undefined ? "" : operationSection({ path, methods, operation });
  }).join("");
}

interface Told {
  readonly path: string;
  readonly methods: readonly string[];
  readonly operation: Operation;
}

function operationSection({ path, methods, operation }: Told): string {
  const { summary, description, parameters, responses } = operation;
  const answers = Object.entries(responses).map(([status, answer]) =>
    `<li><strong>${status}</strong> ${marked(answer.description)}</li>`
  );
  return `<section><h2>${methods.join(", ")} <code>${escaped(path)}</code></h2>` +
    `<p>${marked(summary)}. ${marked(description ?? "")}</p>` +
    `<pre tabindex="0">${escaped(commandFor({ path, methods, operation }))}</pre>` +
    (parameters.length === 0 ? "" : details("Parameters", tableOf(parameters))) +
    `${details("Answers", `<ul>${answers.join("")}</ul>`)}</section>`;
}

function commandFor({ path, methods, operation }: Told): string {
  const method = methods.at(-1) === "GET" ? "" : ` -X ${methods.at(-1)}`;
  const isOpen = operation.security.some((way) => Object.keys(way).length === 0);
  const secret = isOpen ? "" : ` -H "X-Auth-Token: $SECRET_TOKEN"`;
  const body = operation.requestBody === undefined ? "" : " --data-binary @FILE";
  const takesId = operation.parameters.some(({ name, schema }) =>
    name === "id" && (schema.default !== undefined || method !== "")
  );
  return `curl${method}${secret}${body} "$T${path}${takesId ? "?id=home" : ""}"`;
}

function details(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>${content}</details>`;
}

function tableOf(parameters: readonly ParameterObject[]): string {
  const rows = parameters.map(({ name, description, schema }) =>
    `<tr><th scope="row"><code>${escaped(name)}</code></th>` +
    `<td>${marked(description)} ${escaped(valuesOf(schema))}</td></tr>`
  );
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
