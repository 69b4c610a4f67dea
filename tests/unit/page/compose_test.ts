import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { factsOf } from "../../../src/page/compose.ts";
import { memoryApp } from "../../support/app.ts";
import { routes } from "../../support/surface.ts";

/**
 * A value of each look that differs from what every style would do without it, or several that do
 * so together.
 */
const VALUES: Record<string, string | readonly string[]> = {
  label: "else",
  color: "deeppink",
  bg: "deeppink",
  labelColor: "deeppink",
  valueColor: "deeppink",
  font: "Georgia",
  numbers: "grouped",
  locale: "ar-EG",
  theme: ["auto", "light", "dark"],
  spark: "14",
  logo: "eye",
  logoColor: "deeppink",
  digits: "12",
};
/** Parameters that have an effect only together with another. */
const WITH: Record<string, string> = { logoColor: "&logo=eye", locale: "&numbers=grouped" };

Deno.test("the page knows of each style what it does nothing with", async () => {
  await using app = await memoryApp();
  const { controls } = factsOf(routes, true);
  const styles = controls.style?.enum ?? [];
  const found: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(VALUES)) {
    const same: string[] = [];
    for (const style of styles) {
      const path = `GET /sample/badge?style=${style}${WITH[name] ?? ""}`;
      const plain = seen((await app.send(path)).body);
      const changed = await Promise.all(
        [values].flat().map((value) => app.send(`${path}&${name}=${value}`)),
      );
      if (changed.every(({ body }) => seen(body) === plain)) same.push(style);
    }
    found[name] = same.toSorted();
  }
  const told = Object.keys(VALUES).map((name) => {
    const unseen = controls[name]?.unseen ?? [];
    return [name, unseen.map((place) => styles[place]).toSorted()];
  });
  deepStrictEqual(found, Object.fromEntries(told));
});

/** Returns the visible part of a badge. Its label is also in the text for screen readers. */
function seen(svg: string): string {
  return svg.replace(/<title>.*?<\/title>| aria-label="[^"]*"/g, "");
}

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
