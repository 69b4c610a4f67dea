import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { needsChromium, sharedChromium } from "../../../support/chromium.ts";
import { type ServiceAddress, startLocalService } from "../../../support/local_service.ts";
import { authorized, SECRET } from "../../../support/secret.ts";
import {
  assertAccessible,
  assertAccessibleInBothModes,
  assertFits,
  openPage,
  testPage,
} from "../../../support/web_page.ts";
import { waitFor } from "../../../support/wait_for.ts";

const OPEN = { SECRET_TOKEN: SECRET, PUBLIC_READS: "1" };
const CLOSED = { SECRET_TOKEN: SECRET };
/** The builder with a name. */
const NAMED = "/#badges&id=home";
const HOSTILE = `"><img src=x onerror=alert(1)>'](javascript:alert(1)) \`[b]`;

testPage(
  "the builder shows a badge as it will look where it is pasted, whatever its texts hold, and looking at it never counts; a visitor first gets a line that only shows, the owner one that counts with a key, also that of a group",
  { env: OPEN, path: NAMED },
  async ({ page, service, browser }) => {
    const id = page.getByLabel("Counter", { exact: true });
    const label = page.getByLabel("Label", { exact: true });
    let html = "";
    await using site = serving(() => {
      const headers = { "content-type": "text/html; charset=utf-8" };
      return new Response(`<!DOCTYPE html><title>README</title>${html}`, { headers });
    });
    match(await lineIn(page, "URL"), /\/badge\?id=home&/);
    await id.fill("user/repo");
    await label.fill('visits, "all"');
    match(await lineIn(page, "AsciiDoc"), /^image:\S+\["visits, \\"all\\""\]$/);
    await label.fill("visits");
    await page.getByRole("radio", { name: "For the badge" }).check();
    await settled(page);
    await page.getByRole("button", { name: "Copy AsciiDoc" }).click();
    await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
    match(await page.evaluate("navigator.clipboard.readText()"), /^image:.*style=for-the-badge/);
    const markdown = await lineIn(page, "Markdown");
    const query = "id=user/repo&label=visits&style=for-the-badge&numbers=grouped";
    strictEqual(markdown, `![visits](${service.url}/badge?${query})`);
    await shown(page, "#on-light");
    html = await lineIn(page, "HTML");
    await using pasted = await openPage(browser, site.url);
    strictEqual((await shown(pasted.page, "img")).height, 28);
    const count = await fetch(`${service.url}/count.txt?id=user/repo`);
    strictEqual(await count.text(), "0");

    await page.getByRole("radio", { name: "Terminal" }).check();
    await id.fill(HOSTILE);
    await label.fill(HOSTILE);
    html = await lineIn(page, "HTML");
    await pasted.page.reload();
    strictEqual((await shown(pasted.page, "img")).height, 20);
    strictEqual(await pasted.page.locator("img").getAttribute("alt"), HOSTILE);
    const names: string[] = await pasted.page.evaluate(
      "[...document.body.querySelectorAll('*')].map(({ localName }) => localName)",
    );
    deepStrictEqual(names, ["img"]);
    match(await lineIn(page, "Markdown"), /^!\[(?:[^\\[\]<>&]|\\.)*\]\(http[\w:/.?&%=+*-]*\)$/);
    match(await lineIn(page, "URL"), /^http[\w:/.?&%=+*-]*$/);
    html = await lineIn(page, "Script");
    await pasted.page.reload();
    strictEqual(await pasted.page.locator("tally-mark").getAttribute("counter"), HOSTILE);

    await id.fill("home");
    await label.fill("");
    await page.getByText("Count views and show them").click();
    match(await lineIn(page, "URL"), /\/hit\.svg\?id=home&.*&key=KEY$/);
    const told = await page.getByLabel("To paste").first().innerText();
    match(told, /^This line needs the counter’s key in place of KEY\. Sign in to get it/);
    await page.getByLabel("To paste").getByRole("link", { name: "Sign in" }).click();
    await signIn(page, SECRET);
    await page.getByRole("link", { name: "Badges" }).click();
    await page.locator("#code").getByText(/key=[\w-]{22}/).waitFor();
    html = await lineIn(page, "HTML");
    await pasted.page.reload();
    await shown(pasted.page, "img");
    strictEqual(await (await fetch(`${service.url}/count.txt?id=home`)).text(), "1");

    await id.fill("blog/post");
    await page.getByLabel("Count each visitor once a day").check();
    await settled(page);
    await page.getByRole("radio", { name: "all counters under blog/" }).click();
    const asked = await fetch(`${service.url}/key?prefix=blog/`, { headers: authorized });
    const { key } = await asked.json();
    const script = `<script async src="${service.url}/tally.js"></script>`;
    strictEqual(
      await lineIn(page, "Script"),
      `${script}\n<tally-mark counter="blog/post" key="${key}" once="day">–</tally-mark> views`,
    );
    strictEqual(
      await lineIn(page, "List"),
      `${script}\n<tally-top prefix="blog/" key="${key}" limit="5"></tally-top>`,
    );
    for (const name of ["post", "shop/item"]) {
      await id.fill(name);
      await settled(page);
    }
    ok(await page.getByRole("radio", { name: "this counter only" }).isChecked());
  },
);

testPage(
  "the builder has a tile for every style, a control for every look of a picture, and hides those without an effect; it keeps the design in its address, which can be shared, and needs no more than a name",
  { env: OPEN, path: NAMED },
  async ({ page, service }) => {
    const described = await (await fetch(`${service.url}/openapi.json`)).json();
    await page.locator(".tile").first().waitFor();
    for (const [path, kind] of Object.entries(PICTURES)) {
      const parameters: { name: string; schema: { enum?: string[] } }[] =
        described.paths[path].get.parameters;
      await page.getByRole("radio", { name: kind, exact: true }).click();
      const controls = await page.locator("#design [name]").evaluateAll((all) =>
        all.map((control) => control.getAttribute("name"))
      );
      for (const { name, schema } of parameters) {
        if (["If-None-Match", "id", "prefix"].includes(name)) continue;
        ok(controls.includes(name), `${name} of ${path} has no control`);
        if (name !== "style") continue;
        const styles = schema.enum?.filter((style) => style !== "flat") ?? [];
        const values = await page.locator(".tile [name=style]").evaluateAll((radios) =>
          radios.map((radio) => radio.getAttribute("value") ?? "")
        );
        deepStrictEqual(values.toSorted(), styles.toSorted());
        await waitFor("the tiles", () => page.evaluate<boolean>(ARE_TILES_DRAWN));
        for (const name of await page.locator(".cap").allInnerTexts()) {
          match(name, /^[A-Z][\w ]+$/);
        }
      }
    }
    await page.getByRole("radio", { name: "Badge", exact: true }).click();
    await page.getByText("More options").click();
    const theme = page.getByLabel("Light and dark");
    await theme.selectOption("dark");
    await page.getByLabel("Period").waitFor();
    await page.getByRole("radio", { name: "Odometer" }).check();
    await theme.waitFor({ state: "hidden" });
    ok(!(await lineIn(page, "URL")).includes("theme="));
    await page.getByRole("radio", { name: "Plastic" }).check();
    match(await lineIn(page, "URL"), /theme=dark/);
    await page.getByRole("radio", { name: /Count views and show them/ }).check();
    await page.getByLabel("Period").waitFor({ state: "hidden" });

    await page.getByLabel("Label", { exact: true }).fill(HOSTILE);
    await page.getByRole("radio", { name: "Flat square" }).check();
    await page.getByRole("radio", { name: /^Count views/ }).check();
    await page.getByLabel("Count each visitor once a day").check();
    await page.getByRole("radio", { name: "red", exact: true }).check();
    const markdown = await lineIn(page, "Markdown");
    match(markdown, /&color=red.*&once=day&key=KEY\)$/);
    // A browser that was never here has only the address.
    const shared = page.url();
    await page.evaluate("localStorage.clear(), sessionStorage.clear()");
    await page.goto("about:blank");
    await page.goto(shared);
    strictEqual(await page.getByLabel("Label", { exact: true }).inputValue(), HOSTILE);
    strictEqual(await lineIn(page, "Markdown"), markdown);

    // A label may be any word, and what is automatic can be off.
    await page.goto(`${service.url}/#badges&id=home&label=off`);
    await page.getByText(/badge\?id=home&label=off/).waitFor();
    await page.getByText("More options").click();
    await page.getByLabel("Sparkline").selectOption("14");
    await page.getByRole("radio", { name: "Terminal" }).check();
    match(await lineIn(page, "URL"), /label=off&style=terminal&.*spark=14/);
    await page.getByLabel("Sparkline").selectOption("(off)");
    const address = await lineIn(page, "URL");
    ok(!address.includes("spark="), address);
    await page.reload();
    strictEqual(await lineIn(page, "URL"), address);
    await page.getByRole("radio", { name: "Pill" }).check();
    ok(!(await lineIn(page, "URL")).includes("spark="));

    await page.goto(`${service.url}/#badges&picture=chart.svg&id=home&id=two&color=%23abc`);
    match(await lineIn(page, "URL"), /chart\.svg\?id=home&id=two&color=%23abc&/);
    await page.getByRole("radio", { name: "The style’s own" }).check();
    await page.reload();
    match(await lineIn(page, "URL"), /id=two&theme=auto&/);

    // These addresses name no picture that there is.
    await page.goto("about:blank");
    for (const [label, begin] of [["a", "#"], ["b", "#badges&"]]) {
      await page.goto(`${service.url}/${begin}picture=x&label=${label}&id=home`);
      await page.locator("#code").getByText(`/badge?id=home&label=${label}&`).waitFor();
      await shown(page, "#on-light");
    }
  },
);
const ARE_TILES_DRAWN = `[...document.querySelectorAll(".tile img")].every((image) =>
  image.naturalWidth > 0 || !image.checkVisibility())`;
const PICTURES = {
  "/chart.svg": "Chart",
  "/calendar.svg": "Calendar",
  "/card.svg": "Card",
  "/badge": "Badge",
};

testPage(
  "a click on Copy is never lost, copies the design as it is, and keeps its button; charts only show, one of several counters has a line for each, and the badge counts as before",
  { env: OPEN, path: NAMED },
  async ({ page, service }) => {
    const copy = page.getByRole("button", { name: /^(Copy Markdown|Copied)$/ });
    const pasted = () => page.evaluate<string>("navigator.clipboard.readText()");
    let answered = Promise.withResolvers<void>();
    await settled(page);
    await page.route(`${service.url}/count?*`, async (route) => {
      await answered.promise;
      await route.continue();
    });
    // The design is drawn between press and release, as after a slow answer.
    await page.getByRole("radio", { name: "Pixel" }).check();
    await copy.hover();
    await page.mouse.down();
    answered.resolve();
    await settled(page);
    await page.mouse.up();
    await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
    match(await pasted(), /style=pixel/);
    const button = await copy.elementHandle();
    // The click is earlier than the answer.
    answered = Promise.withResolvers();
    await page.getByLabel("Label", { exact: true }).fill("late");
    await copy.click();
    answered.resolve();
    await settled(page);
    await waitFor("the line with its label", async () => /label=late/.exec(await pasted()));
    // A kind is drawn once, and the button that has the focus stays.
    await page.getByRole("radio", { name: "Chart" }).check();
    await settled(page);
    ok(await button?.evaluate((element) => element.isConnected));

    await page.unroute(`${service.url}/count?*`);
    await page.getByRole("radio", { name: "Badge" }).click();
    await page.getByLabel("Label", { exact: true }).fill("");
    await page.getByRole("radio", { name: /^Count views/ }).check();
    await settled(page);
    await page.getByRole("radio", { name: "Chart" }).click();
    await page.getByText("Charts, calendars and cards do not count views.").waitFor();
    const counting = page.getByRole("radio", { name: /^Count views/ });
    ok(!await counting.isEnabled());
    ok(await page.getByRole("radio", { name: /^Only show/ }).isChecked());
    ok(await page.getByLabel("A label", { exact: true }).isVisible());
    strictEqual(await lineIn(page, "URL"), `${service.url}/chart.svg?id=home&theme=auto`);

    await page.getByLabel("Compare with").fill("two\n\n three ");
    await page.locator("#code").getByText("id=three").waitFor();
    match(await lineIn(page, "URL"), /chart\.svg\?id=home&id=two&id=three&theme=auto&kind=total$/);
    ok(await page.getByRole("radio", { name: "Total over time" }).isChecked());
    strictEqual(await page.getByRole("radio", { name: "Bars" }).count(), 0);
    ok((await shown(page, "#on-light")).width > 0);
    await page.getByLabel("Compare with").fill("1\n2\n3\n4\n5\n6");
    await page.getByText("A chart shows up to 6 counters. These are 7.").waitFor();
    await page.getByRole("button", { name: "Remove a counter first" }).waitFor();
    await page.getByLabel("Compare with").fill("two\nthree");
    await page.locator("#code").getByText("id=three").waitFor();

    await page.getByRole("radio", { name: "Badge" }).click();
    ok(await counting.isChecked());
    ok(await page.getByRole("radio", { name: "Pixel" }).isChecked());
    match(await lineIn(page, "URL"), /\/hit\.svg\?/);
    await page.getByRole("radio", { name: "Chart" }).click();
    await page.locator("#code").getByText("id=three").waitFor();
    await page.reload();
    strictEqual(await page.getByLabel("Compare with").inputValue(), "two\nthree");
  },
);

Deno.test(
  "behind a path of a proxy the builder shows a sample where reads are closed, and to the owner the counter itself",
  needsChromium,
  async () => {
    await using service = await startLocalService(CLOSED);
    await hitHome(service);
    await using proxy = behindPath("/hits/", service.url);
    await using opened = await openPage(sharedChromium(), `${proxy.url}/hits/${NAMED.slice(1)}`);
    const { page, complaints } = opened;
    await shown(page, "#on-light");
    match(
      await page.locator("#on-light").getAttribute("src") ?? "",
      /\/hits\/sample\/badge\?style=terminal&/,
    );
    const { width } = await shown(page, "#on-dark");
    await page.getByText("Reads are protected on this server. Sign in to get a line that works.")
      .waitFor();
    strictEqual(await page.locator("#code:visible").count(), 0);
    await page.getByRole("button", { name: "Sign in" }).click();
    await signIn(page, SECRET);
    await page.getByText("1 counter", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Badges" }).click();
    await page.getByText("Only show the number").click();
    await page.getByText("everyone else sees an error in display-only images").waitFor();
    await page.locator("#on-light[src^='blob:']").waitFor();
    ok((await shown(page, "#on-light")).width < width, "12,345 is wider than 1");
    match(await lineIn(page, "URL"), new RegExp(`^${proxy.url}/hits/badge\\?id=home&`));
    deepStrictEqual(complaints, []);
  },
);

Deno.test(
  "the page without script explains the address of a badge and shows its styles",
  needsChromium,
  async () => {
    await using open = await startLocalService(OPEN);
    await using closed = await startLocalService(CLOSED);
    const options = { javaScriptEnabled: false };
    await using opened = await openPage(sharedChromium(), "about:blank", options);
    const { page, complaints } = opened;
    for (const service of [open, closed]) {
      await page.goto(service.url);
      match(await page.locator("main").innerText(), /badge\?id=NAME/);
      const heights = await page.locator("noscript img").evaluateAll((images) =>
        images.map((image) => image.getBoundingClientRect().height)
      );
      ok(heights.length >= 5);
      for (const height of heights) ok(height >= 18, `${height}`);
    }
    deepStrictEqual(complaints, []);
  },
);

testPage(
  "a badge is designed with the keyboard alone; without a name the builder shows samples and has nothing to copy, and says what to do first; it fits at every width, can be used by everybody, in light and in dark, and on a phone Copy is in reach",
  { env: OPEN },
  async ({ page, service }) => {
    await settled(page);
    match(await page.locator("#on-light").getAttribute("src") ?? "", /\/sample\/badge\?/);
    const copy = page.getByRole("button", { name: "Copy Markdown" });
    strictEqual(await copy.getAttribute("aria-disabled"), "true");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Name a counter first" }).press("Enter");
    await page.keyboard.type("user/repo");
    await page.getByText("0 views so far.").waitFor();
    match(await lineIn(page, "URL"), /\/badge\?id=user\/repo&/);
    match(await page.locator("#on-light").getAttribute("src") ?? "", /\/badge\?id=user\/repo&/);
    await page.getByRole("radio", { name: /^Count views/ }).focus();
    await page.keyboard.press("ArrowDown");
    await page.getByLabel("Count each visitor once a day").waitFor({ state: "hidden" });
    // The counter, past the kinds, a style, the label.
    for (const key of ["Tab", "a", "Tab", "Tab", "ArrowDown", "Tab", "!"]) {
      await page.keyboard.press(key);
    }
    strictEqual(
      await lineIn(page, "URL"),
      `${service.url}/badge?id=a&label=%21&numbers=grouped`,
    );
    await settled(page);
    await page.getByRole("radio", { name: "URL" }).press("ArrowLeft");
    await page.getByRole("button", { name: "Copy AsciiDoc" }).waitFor();
    await page.getByText("More options").click();
    await settled(page);
    await page.setViewportSize({ width: 320, height: 800 });
    await assertAccessibleInBothModes(page);
    for (const width of [768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await assertFits(page);
    }
    // The sentence of the problem, and no picture of it.
    await page.getByLabel("Counter", { exact: true }).fill("x".repeat(201));
    await page.getByText(/200 bytes/).waitFor();
    await page.getByRole("button", { name: "Correct the name first" }).waitFor();
    strictEqual(await page.locator(".tile img[src], #on-light[src], #on-dark[src]").count(), 0);
    strictEqual(await page.locator("#id").getAttribute("aria-invalid"), "true");
    await page.setViewportSize({ width: 320, height: 800 });
    await assertAccessibleInBothModes(page);
    await page.route(`${service.url}/count?*`, (route) => route.abort());
    await page.getByLabel("Counter", { exact: true }).fill("other");
    await page.getByText("The server cannot be reached.").waitFor();
    await page.getByRole("button", { name: "Wait until the server is back" }).waitFor();
    strictEqual(await page.locator("#on-light[src]").count(), 0);

    await page.unroute(`${service.url}/count?*`);
    await page.setViewportSize({ width: 390, height: 640 });
    await page.getByLabel("Counter", { exact: true }).fill("home");
    const bar = page.locator(".copy");
    await shown(page, ".copy img");
    const { y, height } = await box(bar);
    strictEqual(y + height, 640);
    await bar.getByRole("button", { name: "Copy AsciiDoc" }).click();
    await bar.getByRole("button", { name: "Copied" }).waitFor();
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press("Shift+Tab");
      strictEqual(await page.evaluate(COVERED_FOCUS), undefined);
    }
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Secret").waitFor();
    await assertFits(page);
    await page.setViewportSize({ width: 320, height: 800 });
    await assertFits(page);
  },
);
/** The element with the focus if the bar with Copy covers it. */
const COVERED_FOCUS = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  const bar = document.querySelector(".copy").getBoundingClientRect();
  return bottom > bar.top && top < bar.top ? document.activeElement.outerHTML : undefined;
})()`;

async function hitHome({ url }: ServiceAddress): Promise<void> {
  const hit = await fetch(`${url}/hit`, { method: "POST", headers: authorized });
  strictEqual((await hit.json()).hits, 1);
}

async function signIn(page: Page, secret: string): Promise<void> {
  await page.getByLabel("Secret").fill(secret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/**
 * Resolves when the snippets show the current design. The form updates them 200 ms after its last
 * input.
 */
async function settled(page: Page): Promise<void> {
  await page.locator(".snippets[aria-busy=false]").waitFor();
}

/** Returns the line to paste in a format. */
async function lineIn(page: Page, format: string): Promise<string> {
  await settled(page);
  await page.getByRole("radio", { name: format, exact: true }).click();
  return await page.locator("#code").textContent() ?? "";
}

async function box(element: Locator): Promise<{ y: number; height: number }> {
  const found = await element.boundingBox();
  ok(found, "The element is not shown");
  return found;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of an image once it is there. */
async function shown(page: Page, selector: string): Promise<Size> {
  const image = `document.querySelector(${JSON.stringify(selector)})`;
  const size = `({ width: ${image}?.naturalWidth, height: ${image}?.naturalHeight })`;
  // The page's policy lets no text be run in it again and again, as the browser's own way of
  // waiting does.
  return await waitFor(`the image ${selector}`, async () => {
    const found = await page.evaluate<Size>(size);
    return found.width > 0 ? found : undefined;
  });
}

/** A proxy that serves the service below a path. */
function behindPath(path: string, target: string): { url: string } & AsyncDisposable {
  return serving((request) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith(path)) return new Response(null, { status: 404 });
    const { method, headers } = request;
    return fetch(`${target}/${pathname.slice(path.length)}${search}`, { method, headers });
  });
}

function serving(
  answer: (request: Request) => Response | Promise<Response>,
): { url: string } & AsyncDisposable {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
