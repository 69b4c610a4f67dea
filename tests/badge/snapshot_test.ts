import { renderBadge, renderError } from "../../src/badge/drawings.ts";
import { parseLook, STYLES } from "../../src/badge/badge_look.ts";

// `deno test --config tests/deno.json -A -u tests/badge/snapshot_test.ts` takes the snapshots
// afresh.

for (const style of STYLES.keys()) {
  for (const theme of ["none", "auto", "light", "dark"]) {
    Deno.test(`renderBadge() draws ${style} in theme=${theme} as it did`, async (t) => {
      const look = parseLook(new Map<string, string>([["style", style], ["theme", theme]]));
      await t.assertSnapshot(renderBadge(look, "12,345").replaceAll("><", ">\n<"));
      await t.assertSnapshot(renderError(look, "bad id").replaceAll("><", ">\n<"));
    });
  }
}
