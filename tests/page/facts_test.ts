import { deepStrictEqual } from "node:assert/strict";
import { factsOf } from "../../src/page/facts.ts";
import { memoryApp } from "../support/app.ts";
import { endpoints } from "../support/surface.ts";

/** A value of each look that differs from what every style would do without it. */
const VALUES: Record<string, string> = {
  label: "else",
  color: "deeppink",
  bg: "deeppink",
  labelColor: "deeppink",
  valueColor: "deeppink",
  font: "Georgia",
  numbers: "grouped",
  locale: "ar-EG",
  theme: "light",
  spark: "14",
  logo: "eye",
  logoColor: "deeppink",
  digits: "12",
};
/** What does something only together with another. */
const WITH: Record<string, string> = { logoColor: "&logo=eye", locale: "&numbers=grouped" };

Deno.test("the page knows of each style what it does nothing with", async () => {
  await using app = await memoryApp();
  const { controls, unknown } = factsOf(endpoints, true);
  const styles = controls.style?.enum ?? [];
  const found: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(VALUES)) {
    found[name] = [];
    for (const style of styles) {
      const path = `GET /sample/badge?style=${style}${WITH[name] ?? ""}`;
      const [plain, changed] = [await app.send(path), await app.send(`${path}&${name}=${value}`)];
      if (seen(plain.body) === seen(changed.body)) found[name]?.push(style);
    }
  }
  deepStrictEqual(
    found,
    Object.fromEntries(Object.keys(VALUES).map((name) => [name, unknown[name] ?? []])),
  );
});

/** What can be seen of a badge: a label is also said to those who cannot see it. */
function seen(svg: string): string {
  return svg.replace(/<title>.*?<\/title>| aria-label="[^"]*"/g, "");
}
