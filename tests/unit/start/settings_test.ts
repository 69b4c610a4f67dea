import { deepStrictEqual, doesNotThrow, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type Setting, SETTINGS, VARIABLES } from "../../../src/start/settings.ts";
import { projectFolder } from "../../support/programs.ts";

const settings: Setting<unknown>[] = Object.values(SETTINGS);

Deno.test("SETTINGS: each has a name of its own, and a default that it can read", () => {
  strictEqual(new Set(VARIABLES).size, VARIABLES.length);
  for (const { parse, default: text = "", name } of settings) {
    ok(/^[A-Z_]+$/.test(name));
    doesNotThrow(() => parse(text, false), name);
  }
});

Deno.test("SETTINGS: the table in .docs has a line for each, with its default and its meaning", async () => {
  const page = await Deno.readTextFile(join(projectFolder, ".docs/settings.md"));
  const table = /^# Settings$[^]*?\n((?:\|.*\n)+)/m.exec(page)?.[1] ?? "";
  const lines = table.trimEnd().split("\n").slice(2);
  const cells = lines.map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
  deepStrictEqual(cells, settings.map(rowOf));
});

function rowOf({ name, default: text = "", meaning, standaloneOnly }: Setting<unknown>): string[] {
  return [
    `\`${name}\``,
    text === "" ? "" : `\`${text}\``,
    standaloneOnly ? `Standalone only. ${meaning}` : meaning,
  ];
}
