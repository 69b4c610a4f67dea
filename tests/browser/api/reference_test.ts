import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { SECRET } from "../../support/secret.ts";
import { assertFits, testPage } from "../../support/web_page.ts";

testPage(
  "the reference copies a line with the address of the server, and fits on an owner's phone",
  { env: { SECRET_TOKEN: SECRET }, path: "/api" },
  async ({ page, service }) => {
    await page.getByRole("button", { name: /^Copy curl .*\/healthz"$/ }).click();
    await page.getByText("Copied", { exact: true }).first().waitFor();
    strictEqual(
      await page.evaluate("navigator.clipboard.readText()"),
      `curl "${service.url}/healthz"`,
    );
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByLabel("Go to an endpoint").selectOption({ label: "Errors" });
    deepStrictEqual(new URL(page.url()).hash, "#errors");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("#secret:focus").waitFor();
    await page.goto(`${service.url}/#sign-in=${SECRET}`);
    await page.getByText("No counters yet").waitFor();
    await page.goto(`${service.url}/api`);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await assertFits(page);
  },
);
