import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { memoryApp } from "../../support/app.ts";

interface Operation {
  readonly parameters: readonly { readonly name: string }[];
}

Deno.test("the reference has each path once, an image with its PNG, and the keys in one table", async () => {
  await using app = await memoryApp();
  const { paths } = JSON.parse((await app.send("GET /openapi.json")).body) as {
    readonly paths: Record<string, Record<string, Operation>>;
  };
  const page = (await app.send("GET /api")).body;
  const cards = page.split('<section class="panel ends"').slice(1);
  const heads = cards.map((card) => /<h3>.*?<\/h3>/.exec(card)?.[0] ?? "");
  for (const [path, methods] of Object.entries(paths)) {
    const own = cards.filter((_, at) => heads[at]?.includes(`>${path}<`));
    ok(own.length > 0, path);
    for (const { name } of Object.values(methods).flatMap(({ parameters }) => parameters)) {
      ok(own.some((card) => card.includes(`<code>${name}</code></th>`)), `${path} ${name}`);
    }
  }
  const of = (path: string) => heads.filter((head) => head.includes(`>${path}<`));
  deepStrictEqual(of("/badge.png"), of("/badge"));
  deepStrictEqual(of("/hit.png"), of("/hit.svg"));
  deepStrictEqual(of("/count.txt"), of("/count"));
  strictEqual(page.split("X-Auth-Token: …").length, 2);
  strictEqual(cards.some((card) => /<th[^>]*><code>X-Auth-Token/.test(card)), false);
});
