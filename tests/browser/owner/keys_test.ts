import { match, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { openRow, testOwner } from "../../support/owner_page.ts";

const EARLIER = "earlier-secret-0123456789";

testOwner(
  "the owner sees the version of a key, and which hits had a key of an earlier secret",
  [{ id: "user/repo", hits: 5 }],
  async ({ page, service }) => {
    const key = createHmac("sha256", EARLIER).update("counter.2:user/repo").digest()
      .subarray(0, 16).toString("base64url");
    const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0" };
    const hit = await fetch(`${service.url}/hit?id=user/repo&key=${key}`, { headers });
    strictEqual((await hit.json()).hits, 6);
    await openRow(page, "user/repo");
    await page.getByRole("heading", { name: "Key, version 2", exact: true }).waitFor();
    await page.getByRole("link", { name: "Requests" }).click();
    const row = page.locator(".log tbody tr").first();
    await row.waitFor();
    match(await row.innerText(), /user\/repo\s+yes\s+earlier key$/);
  },
  { env: { SECRET_FALLBACKS: EARLIER, KEY_VERSIONS: "user/repo=2" } },
);
