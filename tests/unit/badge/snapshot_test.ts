import { join } from "node:path";
import { drawBadge, drawError, parseLook } from "../../../src/badge/drawings.ts";
import { STYLES } from "../../../src/badge/styles.ts";

// `deno task pictures:badges` takes the snapshots afresh. Pixels of the other themes are in
// sheet.png. The colors of theme=auto for dark pages are only here.

// One file, also among the tests of all other files.
const file = { path: join(import.meta.dirname ?? "", "__snapshots__/snapshot_test.ts.snap") };

for (const style of STYLES.keys()) {
  Deno.test(`drawBadge() draws ${style} in theme=auto as it did`, async (t) => {
    const look = parseLook(new Map<string, string>([["style", style], ["theme", "auto"]]));
    await t.assertSnapshot(drawBadge(look, "12,345").replaceAll("><", ">\n<"), file);
    await t.assertSnapshot(drawError(look, "bad id").replaceAll("><", ">\n<"), file);
  });
}
