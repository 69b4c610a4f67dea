import { deepStrictEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { LOOKS } from "../src/badge/parameters.ts";
import { key, token } from "../src/auth/access.ts";
import { cacheSeconds, format, id } from "../src/http/parameters.ts";
import type { Parameter } from "../src/parameter.ts";
import { projectFolder } from "./support/programs.ts";
import { endpoints } from "./support/surface.ts";

const readme = await Deno.readTextFile(join(projectFolder, "README.md"));

/** The cells of all tables whose first column has this head, row by row. */
function rowsUnder(head: string): string[][] {
  const rows: string[][] = [];
  let inside = false;
  for (const line of readme.split("\n")) {
    const cells = line.startsWith("|")
      ? line.split("|").slice(1, -1).map((cell) => cell.trim())
      : [];
    if (cells.length === 0) inside = false;
    else if (cells[0] === head) inside = true;
    else if (inside && !/^:?-+:?$/.test(cells[0] ?? "")) rows.push(cells);
  }
  return rows;
}

/** What stands in code in a cell. */
function codeIn(cell = ""): string[] {
  return [...cell.matchAll(/`([^`]*)`/g)].map(([, code = ""]) => code);
}

Deno.test("README.md lists every endpoint with its methods, and no other", () => {
  const listed = rowsUnder("Endpoint").flatMap(([cell]) => codeIn(cell)).map((code) =>
    code.replace(/\?.*$/, "")
  );
  // What every read answers besides is told in a sentence.
  const served = endpoints.flatMap(({ methods, path }) =>
    methods.filter((method) => method !== "HEAD" && method !== "OPTIONS").map((method) =>
      `${method} ${path}`
    )
  );
  deepStrictEqual(listed.toSorted(), served.toSorted());
});

const all: readonly Parameter[] = [
  ...endpoints.flatMap(({ parameters }) => parameters),
  // A chart has other defaults than a badge, which the tables are about.
  ...[id, token, key, format, cacheSeconds, ...LOOKS],
];
const parameters = new Map(all.map((parameter) => [parameter.name, parameter]));

Deno.test("README.md gives the parameters of its tables the defaults that they have", () => {
  const rows = rowsUnder("Parameter");
  ok(rows.length >= LOOKS.length);
  for (const [cell, ...others] of rows) {
    const [name = ""] = codeIn(cell);
    const parameter = parameters.get(name);
    ok(parameter !== undefined, `${name} is no parameter`);
    const { default: usual } = parameter.schema;
    deepStrictEqual(codeIn(others.at(-1)), usual === undefined ? [] : [String(usual)], name);
  }
});

Deno.test("README.md tells of every parameter", () => {
  const tabled = rowsUnder("Parameter").flatMap(([cell]) => codeIn(cell));
  for (const name of parameters.keys()) {
    const told = tabled.includes(name) ||
      new RegExp(`[?&\`"]${name}(?:=|\`)|\\*\\*${name}\\*\\*`).test(readme);
    ok(told, name);
  }
});
