import { deepStrictEqual } from "node:assert/strict";
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
