import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Page } from "playwright-core";
import { needsChromium, sharedChromium } from "../support/chromium.ts";
import { type Service, startService } from "../support/service.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { assertAccessible, openPage, testPage } from "../support/web_page.ts";
import { waitFor } from "../support/wait_for.ts";

const OPEN = { SECRET_TOKEN: SECRET, STORE_URL: "memory:", PUBLIC_READS: "1" };
const CLOSED = { SECRET_TOKEN: SECRET, STORE_URL: "memory:" };
const HOSTILE = `"><img src=x onerror=alert(1)>'](javascript:alert(1)) \`[b]`;

testPage("the page builds a badge that shows where it is pasted, and looking at it never counts", {
  env: OPEN,
}, async ({ page, service, browser }) => {
  await page.getByLabel("Counter", { exact: true }).fill("user/repo");
  await page.getByRole("textbox", { name: "Label", exact: true }).fill("visits");
  await page.getByRole("radio", { name: "for-the-badge" }).check();
  await page.getByRole("combobox", { name: "Numbers", exact: true }).selectOption("grouped");
  const markdown = await copied(page, "Markdown");
  const query = "id=user%2Frepo&label=visits&style=for-the-badge&numbers=grouped";
  strictEqual(markdown, `![visits](${service.url}/badge?${query})`);
  await shown(page, "#on-light");
  await using readme = pageOf(await copied(page, "HTML"));
  await using pasted = await openPage(browser, readme.url);
  strictEqual((await shown(pasted.page, "img")).height, 28);
  const count = await fetch(`${service.url}/count.txt?id=user/repo`);
  strictEqual(await count.text(), "0");
});

testPage(
  "the page shows a control for every look of a badge, with its default",
  { env: OPEN },
  async ({ page, service }) => {
    const described = await (await fetch(`${service.url}/openapi.json`)).json();
    const parameters: { name: string; schema: { default?: string } }[] =
      described.paths["/badge"].get.parameters;
    for (const { name, schema } of parameters) {
      if (name === "If-None-Match" || name === "id") continue;
      const control = page.locator(`#fields-badge [name="${name}"]`);
      ok(await control.count() > 0, `${name} has no control`);
      if (name !== "style") strictEqual(await control.inputValue(), schema.default ?? "", name);
    }
  },
);

testPage(
  "the page keeps the design in its address, which can be shared",
  { env: OPEN },
  async ({ page, browser }) => {
    await page.getByRole("textbox", { name: "Label", exact: true }).fill(HOSTILE);
    await page.getByRole("radio", { name: "terminal" }).check();
    const markdown = await copied(page, "Markdown");
    await using second = await openPage(browser, page.url());
    strictEqual(
      await second.page.getByRole("textbox", { name: "Label", exact: true }).inputValue(),
      HOSTILE,
    );
    strictEqual(await copied(second.page, "Markdown"), markdown);
  },
);

testPage(
  "the page puts hostile texts into snippets that stay one image",
  { env: OPEN },
  async ({ page, browser }) => {
    await page.getByLabel("Counter", { exact: true }).fill(HOSTILE);
    await page.getByRole("textbox", { name: "Label", exact: true }).fill(HOSTILE);
    for (const name of ["HTML", "HTML that follows the reader’s light or dark"]) {
      await using readme = pageOf(await copied(page, name));
      await using pasted = await openPage(browser, readme.url);
      strictEqual((await shown(pasted.page, "img")).height, 20);
      strictEqual(await pasted.page.locator("img").getAttribute("alt"), HOSTILE);
      const names: string[] = await pasted.page.evaluate(
        "[...document.body.querySelectorAll('*')].map(({ localName }) => localName)",
      );
      deepStrictEqual(names.filter((name) => !["img", "picture", "source"].includes(name)), []);
    }
    const markdown = await copied(page, "Markdown");
    match(markdown, /^!\[(?:[^\\[\]<>&]|\\.)*\]\(http[\w:/.?&%=+*-]*\)$/);
    match(await copied(page, "Address"), /^http[\w:/.?&%=+*-]*$/);
    strictEqual(await page.locator("#snippets img").count(), 0);
  },
);

testPage(
  "the page keeps a comma of the label in the text of an AsciiDoc image",
  { env: OPEN },
  async ({ page, service }) => {
    await page.getByRole("textbox", { name: "Label", exact: true }).fill('views, "all" of them');
    const query = "id=home&label=views%2C+%22all%22+of+them";
    strictEqual(
      await copied(page, "AsciiDoc"),
      `image:${service.url}/badge?${query}["views, \\"all\\" of them"]`,
    );
  },
);

Deno.test(
  "the page shows a badge where its address names a picture that there is not",
  needsChromium,
  async () => {
    await using service = await startService({ env: OPEN });
    await using opened = await openPage(sharedChromium(), `${service.url}/#picture=x&label=a`);
    await shown(opened.page, "#on-light");
    strictEqual(await copied(opened.page, "Address"), `${service.url}/badge?id=home&label=a`);
    deepStrictEqual(opened.complaints, []);
  },
);

testPage("the page fills in the key of a counting image after the secret was entered", {
  env: OPEN,
}, async ({ page, service, browser }) => {
  await page.getByLabel("Counter", { exact: true }).fill("a");
  await page.getByLabel("Counting image").check();
  match(await copied(page, "Address"), /\/hit\.svg\?id=a&key=KEY$/);
  await signIn(page, SECRET);
  await page.getByText(/key=[\w-]{22}/).first().waitFor();
  // Said later, it would take the place of "Copied" in the line of status.
  await page.locator("#status").getByText("0 counters").waitFor();
  await using readme = pageOf(await copied(page, "HTML"));
  await using pasted = await openPage(browser, readme.url);
  await shown(pasted.page, "img");
  strictEqual(await (await fetch(`${service.url}/count.txt?id=a`)).text(), "1");
});

testPage("the page shows a sample where reads are closed, and to its owner the counter itself", {
  env: CLOSED,
  prepare: hitHome,
}, async ({ page }) => {
  await shown(page, "#on-light");
  match(await page.locator("#on-light").getAttribute("src") ?? "", /\/sample\/badge\?id=home$/);
  const { width } = await shown(page, "#on-dark");
  await signIn(page, SECRET);
  await page.locator("#on-light[src^='blob:']").waitFor();
  ok((await shown(page, "#on-light")).width < width, "12,345 is wider than 1");
});

testPage("the page says that a secret is wrong, and keeps neither it nor a right one", {
  env: CLOSED,
}, async ({ page }) => {
  await signIn(page, "wrong");
  await page.getByText("The secret token is missing or wrong").waitFor();
  await signIn(page, SECRET);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  const kept: string = await page.evaluate(
    "JSON.stringify([sessionStorage, localStorage, document.cookie, location.href])",
  );
  ok(kept.includes("s1."));
  ok(!kept.includes(SECRET));
  strictEqual(await page.getByLabel("Secret token").inputValue(), "");
  await page.reload();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Secret token").waitFor();
  strictEqual(await page.evaluate("sessionStorage.length"), 0);
});

Deno.test("the page works behind a path of a proxy", needsChromium, async () => {
  await using service = await startService({ env: OPEN });
  await using proxy = behindPath("/hits/", service.url);
  await using opened = await openPage(sharedChromium(), `${proxy.url}/hits/`);
  const { page, complaints } = opened;
  await shown(page, "#on-light");
  strictEqual(await copied(page, "Address"), `${proxy.url}/hits/badge?id=home`);
  await signIn(page, SECRET);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  deepStrictEqual(complaints, []);
});

Deno.test(
  "the page without script explains the address of a badge and shows the five styles",
  needsChromium,
  async () => {
    for (const env of [OPEN, CLOSED]) {
      await using service = await startService({ env });
      await using opened = await openPage(sharedChromium(), service.url, {
        javaScriptEnabled: false,
      });
      const { page, complaints } = opened;
      match(await page.locator("main").innerText(), /badge\?id=NAME/);
      const heights = await page.locator("noscript img").evaluateAll((images) =>
        images.map((image) => image.getBoundingClientRect().height)
      );
      deepStrictEqual(heights, [20, 20, 18, 28, 20]);
      deepStrictEqual(complaints, []);
    }
  },
);

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [320, 768, 1280]) {
    Deno.test(
      `the page can be used by everybody at ${width} px in ${colorScheme}`,
      needsChromium,
      async () => {
        await using service = await startService({ env: OPEN });
        const viewport = { width, height: 800 };
        await using opened = await openPage(sharedChromium(), service.url, {
          viewport,
          colorScheme,
        });
        const { page } = opened;
        await shown(page, "#on-light");
        await assertAccessible(page);
        strictEqual(await page.evaluate("document.documentElement.scrollWidth"), width);
      },
    );
  }
}

testPage(
  "the page is designed with the keyboard alone",
  { env: OPEN },
  async ({ page, service }) => {
    await page.getByLabel("Counter", { exact: true }).focus();
    for (const key of ["a", "Tab", "Tab", "End", "!", "Tab", "ArrowRight"]) {
      await page.keyboard.press(key);
    }
    const address = await copied(page, "Address");
    strictEqual(address, `${service.url}/badge?id=a&label=views%21&style=flat-square`);
  },
);

async function hitHome({ url }: Service): Promise<void> {
  const hit = await fetch(`${url}/hit`, { method: "POST", headers: authorized });
  strictEqual((await hit.json()).hits, 1);
}

async function signIn(page: Page, secret: string): Promise<void> {
  await page.getByLabel("Secret token").fill(secret);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** What the button copies, once the snippets show the design as it is now. */
async function copied(page: Page, name: string): Promise<string> {
  await page.locator("#snippets[aria-busy=false]").waitFor();
  await page.getByRole("button", { name: `Copy ${name}`, exact: true }).click();
  await page.getByText(`Copied: ${name}`, { exact: true }).waitFor();
  return await page.evaluate<string>("navigator.clipboard.readText()");
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of an image once it is there. */
async function shown(page: Page, selector: string): Promise<Size> {
  const image = `document.querySelector("${selector}")`;
  const size = `({ width: ${image}.naturalWidth, height: ${image}.naturalHeight })`;
  // The page's policy lets no text be run in it again and again, as the browser's own way of waiting does.
  return await waitFor(`the image ${selector}`, async () => {
    const found = await page.evaluate<Size>(size);
    return found.width > 0 ? found : undefined;
  });
}

/** A page of another site that shows this. */
function pageOf(html: string): { url: string } & AsyncDisposable {
  return serving(() => {
    const headers = { "content-type": "text/html; charset=utf-8" };
    return new Response(`<!DOCTYPE html><title>README</title>${html}`, { headers });
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
