import { renderBadge, renderError } from "../../src/badge/drawings.ts";
import { parseLook } from "../../src/badge/badge_look.ts";
import { STYLES } from "../../src/badge/styles.ts";

// `deno task pictures:badges` takes the snapshots afresh.

for (const style of STYLES.keys()) {
  for (const theme of ["none", "auto", "light", "dark"]) {
    Deno.test(`renderBadge() draws ${style} in theme=${theme} as it did`, async (t) => {
      const look = parseLook(new Map<string, string>([["style", style], ["theme", theme]]));
      await t.assertSnapshot(renderBadge(look, "12,345").replaceAll("><", ">\n<"));
      await t.assertSnapshot(renderError(look, "bad id").replaceAll("><", ">\n<"));
    });
  }
}
