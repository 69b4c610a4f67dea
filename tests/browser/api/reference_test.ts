import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { SECRET } from "../../support/secret.ts";
import { assertAccessible, assertFits, testPage } from "../../support/web_page.ts";

const PUBLIC_URL = "https://hits.example.com/below";

/** Leaves the first section of each kind: the others have no other elements and classes. */
const LEAVE_KINDS = `{
  const kinds = new Set();
  for (const section of document.querySelectorAll(".ends")) {
    const all = [...section.querySelectorAll("*")];
    const found = all.map((one) => one.parentElement.localName + one.localName + one.className);
    if (found.every((kind) => kinds.has(kind))) section.remove();
    for (const kind of found) kinds.add(kind);
  }
}`;

testPage(
  "/api can be used by everybody, also on a small screen, in light and in dark, copies a line with PUBLIC_URL, and fits on an owner's phone",
  {
    env: { SECRET_TOKEN: SECRET, PUBLIC_URL },
    path: "/api",
    viewport: { width: 320, height: 800 },
    colorScheme: "light",
  },
  async ({ page, service }) => {
    match(
      await page.locator("pre").first().innerText(),
      new RegExp(`"${PUBLIC_URL}/hit\\?id=home"`),
    );
    strictEqual(await page.locator("link[rel=icon][href^='data:image/svg']").count(), 1);
    await assertAccessible(page);
    await page.getByRole("button", { name: /^Copy curl .*\/healthz"$/ }).click();
    await page.getByText("Copied", { exact: true }).first().waitFor();
    strictEqual(
      await page.evaluate("navigator.clipboard.readText()"),
      `curl "${PUBLIC_URL}/healthz"`,
    );
    await page.getByLabel("Go to an endpoint").selectOption({ label: "Errors" });
    deepStrictEqual(new URL(page.url()).hash, "#errors");
    await page.evaluate(LEAVE_KINDS);
    await page.emulateMedia({ colorScheme: "dark" });
    await assertAccessible(page);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("#secret:focus").waitFor();
    await page.goto(`${service.url}/#sign-in=${SECRET}`);
    await page.getByText("No counters yet").waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${service.url}/api`);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await assertFits(page);
  },
);
