import { doesNotMatch, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "../../support/programs.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** An endpoint that documents `format`, and asks its query for something. */
function endpointThatAsksFor(name: string): string {
  const module = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url));
  return `
import { endpoint } from ${module("http/endpoint.ts")};

const format = { name: "format", meaning: "", schema: { type: "string" } } as const;

export const trial = endpoint("counter", {
  summary: "Try",
  parameters: [format],
  respond: ({ query }) => new Response(query.get(${JSON.stringify(name)})),
});
`;
}

/** Returns the output of the compiler, which checks all files at once. */
async function check(texts: Readonly<Record<string, string>>): Promise<string> {
  await using folder = await tempDir();
  const files = Object.keys(texts).map((name) => join(folder.path, `${name}.ts`));
  for (const [index, text] of Object.values(texts).entries()) {
    await Deno.writeTextFile(files[index] ?? "", text);
  }
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--config", join(projectFolder, "deno.json"), ...files],
    env: { NO_COLOR: "1" },
  }).output();
  strictEqual(code, 1);
  return new TextDecoder().decode(stderr);
}

Deno.test("a query can be asked for what its endpoint documents, and for nothing else: that does not compile", async () => {
  const names = ["format", "fromat", "token"];
  const said = await check(
    Object.fromEntries(names.map((name) => [name, endpointThatAsksFor(name)])),
  );
  for (const name of ["fromat", "token"]) {
    match(
      said,
      new RegExp(`"${name}".* is not assignable to parameter of type '"id" \\| "format"'`),
    );
    match(said, new RegExp(`/${name}\\.ts:`));
  }
  doesNotMatch(said, /\/format\.ts:/);
});
