import { match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "../support/programs.ts";
import { tempDir } from "../support/temp_dir.ts";

/** An endpoint that documents `format`, and asks its query for something. */
function endpointThatAsksFor(name: string): string {
  const module = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url));
  return `
import { counterEndpoint } from ${module("http/endpoint.ts")};

const format = { name: "format", meaning: "", schema: { type: "string" } } as const;

export const trial = counterEndpoint({
  summary: "Try",
  parameters: [format],
  errors: "json",
  find: ({ query }) => query.get(${JSON.stringify(name)}) ?? "",
  answer: (found) => new Response(found),
  describe: ({ service, bodies }) => service("Trial", { content: bodies.text }),
});
`;
}

async function check(text: string): Promise<{ code: number; said: string }> {
  await using folder = await tempDir();
  const file = join(folder.path, "trial.ts");
  await Deno.writeTextFile(file, text);
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--config", join(projectFolder, "deno.json"), file],
    env: { NO_COLOR: "1" },
  }).output();
  return { code, said: new TextDecoder().decode(stderr) };
}

Deno.test("a query can be asked for what its endpoint documents, and for nothing else: that does not compile", async () => {
  const [documented, misspelt, credential] = await Promise.all(
    ["format", "fromat", "token"].map((name) => check(endpointThatAsksFor(name))),
  );
  strictEqual(documented?.code, 0, documented?.said);
  for (const [name, refused] of [["fromat", misspelt], ["token", credential]] as const) {
    strictEqual(refused?.code, 1, name);
    match(
      refused?.said ?? "",
      new RegExp(`"${name}".* is not assignable to parameter of type '"id" \\| "format"'`),
    );
  }
});
