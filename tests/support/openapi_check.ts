import { fail, ok, strictEqual } from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { ResponseObject, Schema } from "../../src/http/endpoint.ts";
import { bodies, problemResponses } from "../../src/openapi/responses.ts";
import type { Operation, PathItem } from "../../src/openapi/document.ts";
import { openapi } from "./surface.ts";

/**
 * Fails unless the OpenAPI document allows this answer: its status, headers, media type and body.
 * The body of `response` can still be read afterwards.
 */
export async function checkAnswer(method: string, url: string, response: Response): Promise<void> {
  const where = `${method} ${url} answered ${response.status}`;
  const { pathname } = new URL(url, "http://localhost");
  // The addresses of other services are not described.
  if (pathname.startsWith("/as/")) return;
  const path = openapi.paths[pathname];
  const answer = describedAnswer(path, method, response.status);
  ok(answer !== undefined, `${where}: this status is not described`);

  checkHeaders(where, answer, response.headers);
  if (response.status === 405 && path !== undefined) checkAllow(where, path, method, response);
  await checkBody(where, answer, { method, response: response.clone() });
}

/** The answer that the document gives. HEAD is answered as GET is. */
function describedAnswer(
  path: PathItem | undefined,
  method: string,
  status: number,
): ResponseObject | undefined {
  if (path === undefined) {
    const described = problemResponses([400], "json")[400];
    // A browser gets a page.
    return status === 404 && described
      ? { ...described, content: { ...described.content, ...bodies.html } }
      : status === 400
      ? described
      : undefined;
  }
  const operation = operations(path).get(method === "HEAD" ? "GET" : method);
  if (operation !== undefined && status !== 405) return operation.responses[status];
  if (method === "OPTIONS" && status === 204) return { description: "Preflight", headers: {} };
  // The Host header is looked at before the method.
  const [first] = operations(path).values();
  return status === 405 || status === 400 ? first?.responses[400] : undefined;
}

function operations(path: PathItem): Map<string, Operation> {
  return new Map(
    Object.entries(path).map(([method, operation]) => [method.toUpperCase(), operation]),
  );
}

function checkHeaders(where: string, answer: ResponseObject, headers: Headers): void {
  for (const [name, { required, schema }] of Object.entries(answer.headers)) {
    const value = headers.get(name);
    if (value === null) ok(required !== true, `${where}: ${name} is missing`);
    else checkValue(`${where}: ${name}`, schema, schema.type === "integer" ? Number(value) : value);
  }
}

function checkAllow(where: string, path: PathItem, method: string, response: Response): void {
  const allowed = (response.headers.get("Allow") ?? "").split(", ");
  for (const described of operations(path).keys()) {
    ok(allowed.includes(described), `${where}: Allow lacks ${described}`);
  }
  ok(!allowed.includes(method), `${where}: Allow has ${method}`);
}

interface Exchange {
  method: string;
  response: Response;
}

async function checkBody(where: string, answer: ResponseObject, exchange: Exchange): Promise<void> {
  const { method, response } = exchange;
  const body = await response.text();
  const type = response.headers.get("Content-Type")?.split(";")[0]?.trim();
  const media = type === undefined ? undefined : answer.content?.[type];
  if (method === "HEAD" || answer.content === undefined) {
    strictEqual(body, "", `${where}: the body is not empty`);
    ok(type === undefined || media !== undefined, `${where}: ${type} is not described`);
    return;
  }
  ok(media !== undefined, `${where}: ${type} is not described`);
  const value: unknown = type !== undefined && /[/+]json$/.test(type) ? JSON.parse(body) : body;
  checkValue(`${where}: body`, media.schema, value);
  if (type === "application/problem+json") {
    // Cast: the schema of problems has just been checked.
    const problem = value as { status: number };
    strictEqual(problem.status, response.status, `${where}: the problem has another status`);
  }
}

// Not strict, because the document around the schemas has keys that are not part of JSON Schema.
// The linter of document_test checks the schemas. Without its own schema, Ajv loads in 200 ms less.
const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  meta: false,
  validateSchema: false,
})
  .addSchema({ $id: "document", components: openapi.components });
const compiled = new WeakMap<Schema, ValidateFunction>();

function checkValue(where: string, schema: Schema, value: unknown): void {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
    compiled.set(schema, validate);
  }
  if (validate(value)) return;
  fail(`${where}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
}
