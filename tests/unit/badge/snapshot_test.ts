import { drawBadge, drawError } from "../../../src/badge/drawings.ts";
import { parseLook } from "../../../src/badge/look.ts";
import { STYLES } from "../../../src/badge/styles.ts";

// `deno task pictures:badges` takes the snapshots afresh.

for (const style of STYLES.keys()) {
  for (const theme of ["none", "auto", "light", "dark"]) {
    Deno.test(`drawBadge() draws ${style} in theme=${theme} as it did`, async (t) => {
      const look = parseLook(new Map<string, string>([["style", style], ["theme", theme]]));
      await t.assertSnapshot(drawBadge(look, "12,345").replaceAll("><", ">\n<"));
      await t.assertSnapshot(drawError(look, "bad id").replaceAll("><", ">\n<"));
    });
  }
}
