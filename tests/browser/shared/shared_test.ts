import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import type { Browser } from "playwright-core";
import { needsChromium, shareChromium, sharedChromium } from "../../support/chromium.ts";
import { field } from "../../support/app.ts";
import {
  type LocalService,
  type ServiceAddress,
  startLocalService,
} from "../../support/local_service.ts";
import { dayAgo, importLines, signIn } from "../../support/owner_page.ts";
import { authorized, SECRET } from "../../support/secret.ts";
import { TIME_ZONE } from "../../support/time_zones.ts";
import { waitFor } from "../../support/wait_for.ts";
import { assertAccessibleInBothModes, assertFits, openPage } from "../../support/web_page.ts";

shareChromium();

const LINES = [
  {
    id: "blog/hello",
    hits: 1200,
    days: { [dayAgo(0)]: 30, [dayAgo(1)]: 20, [dayAgo(40)]: 900, [dayAgo(500)]: 100 },
  },
  { id: `blog/${"a-long-title-".repeat(14)}`, hits: 300, days: { [dayAgo(2)]: 5 } },
  { id: "blog/<img src=x>", hits: 7 },
  { id: "secret/plan", hits: 999_999 },
];

/** The first known day, which is earlier than the days of any chart here. */
const FIRST_DAY = new Date(dayAgo(500)).toLocaleDateString("en-US", {
  timeZone: "UTC",
  dateStyle: "medium",
});

/** A service with protected reads, which pages of the server may embed. */
async function startShared(env: Record<string, string> = {}): Promise<LocalService> {
  const service = await startLocalService({ SECRET_TOKEN: SECRET, TIME_ZONE, ...env });
  await importLines(service, LINES);
  return service;
}

async function addressOf({ url }: ServiceAddress): Promise<string> {
  const response = await fetch(`${url}/key?read=blog/`, { headers: authorized });
  return `${url}/p?prefix=blog/&key=${field(await response.json(), "key")}`;
}

Deno.test(
  "a shared page shows its group and its calendar, without sign-in and storage",
  needsChromium,
  async () => {
    await using service = await startShared();
    await using opened = await openPage(sharedChromium(), "about:blank");
    const { page, complaints } = opened;
    await page.addInitScript(() => {
      for (const name of ["sessionStorage", "localStorage"]) {
        Object.defineProperty(globalThis, name, {
          get: () => {
            throw new Error(`${name} is used`);
          },
        });
      }
    });
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(await addressOf(service));
    await page.getByRole("heading", { name: "Most read" }).waitFor();
    await page.getByRole("img", { name: "Calendar of the views of each day" }).waitFor();
    const width = "document.querySelector('.year img').naturalWidth";
    await waitFor("the calendar", async () => await page.evaluate<number>(width) || undefined);
    deepStrictEqual(requests.toSorted(), ["/calendar.svg", "/p", "/p.json"]);
    strictEqual(await page.getByRole("heading", { level: 1 }).innerText(), "blog");
    match(await page.locator(".lead").innerText(), /^as of .* · days in /);
    deepStrictEqual(
      await page.locator(".figures dd.n").allInnerTexts(),
      ["30", "55", "55", "1,507"],
    );
    const older = await page.locator(".figures dd.why").last().innerText();
    strictEqual(older, `452 before ${FIRST_DAY}`);
    deepStrictEqual(
      (await page.locator("table.counters tbody th").allInnerTexts()).map((text) =>
        text.slice(0, 9)
      ),
      ["hello", "a-long-ti", "<img src="],
    );
    doesNotMatch(await page.locator("body").innerText(), /secret|999,999|Sign in|Share/);
    strictEqual(await page.locator("input:not([type=radio])").count(), 0);
    deepStrictEqual(complaints, []);
  },
);

for (const what of ["a shared page", "the 401 page of a shared page"]) {
  Deno.test(
    `${what} is accessible and fits 390, 768 and 1280 pixels, in light and dark`,
    needsChromium,
    async () => {
      await using service = await startShared();
      const isOpen = what === "a shared page";
      const address = isOpen ? await addressOf(service) : `${service.url}/p?prefix=blog/`;
      // The policy of the other page forbids every script, that of axe included.
      const options = { viewport: { width: 390, height: 900 }, bypassCSP: !isOpen };
      await using opened = await openPage(sharedChromium(), address, options);
      const name = isOpen ? "Most read" : "This link opens nothing";
      await opened.page.getByRole("heading", { name }).waitFor();
      await assertAccessibleInBothModes(opened.page);
      for (const width of [768, 1280]) {
        await opened.page.setViewportSize({ width, height: 900 });
        await assertFits(opened.page);
      }
    },
  );
}

/** A page of another site, with a frame of an address. */
function embedder(address: () => string): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    const body = `<iframe src="${
      address().replaceAll("&", "&amp;")
    }" width=600 height=600></iframe>`;
    return new Response(body, { headers: { "content-type": "text/html" } });
  });
}

/** Returns what a frame of an address shows on a page of another site. */
async function framed(browser: Browser, origin: string): Promise<string> {
  await using opened = await openPage(browser, origin);
  const frame = opened.page.frameLocator("iframe");
  return await waitFor("the frame or its refusal", async () => {
    if (opened.complaints.some((text) => text.includes("frame-ancestors"))) return "refused";
    const isShown = await frame.getByRole("table", { name: "Most read" }).isVisible();
    if (!isShown) return undefined;
    const link = await frame.getByRole("link", { name: "Open page" }).boundingBox();
    ok(link && link.height >= 32, "a finger hits the link");
    return await frame.locator("body").innerText();
  });
}

Deno.test(
  "a browser shows a shared page in a frame of EMBED_ORIGINS with embed=1, and in no other",
  needsChromium,
  async () => {
    let address = "";
    await using server = embedder(() => address);
    const { port } = server.addr;
    await using service = await startShared({ EMBED_ORIGINS: `http://localhost:${port}` });
    const page = await addressOf(service);
    const browser = sharedChromium();
    address = `${page}&embed=1&title=Garden&theme=light`;
    const shown = await framed(browser, `http://localhost:${port}/`);
    match(shown, /\nGarden\n/);
    match(shown, /Open page/);
    doesNotMatch(shown, /Share|Tallymark/);
    strictEqual(await framed(browser, `http://127.0.0.1:${port}/`), "refused");
    address = page;
    strictEqual(await framed(browser, `http://localhost:${port}/`), "refused");
  },
);

for (const [hits, mostHeight] of [[12_345_682, 760], [2 ** 51, 800]] as const) {
  Deno.test(
    `an embedded page 280 pixels wide, with counters of ${hits} views, cuts none and is at most ${mostHeight} pixels high`,
    needsChromium,
    async () => {
      await using service = await startShared({ EMBED_ORIGINS: "https://blog.example" });
      const days = { [dayAgo(1)]: 12_345_678, [dayAgo(20)]: 4 };
      const more = ["a", "b"].map((id) => ({ id: `blog/${id}`, hits: 12_345_682, days }));
      await importLines(service, [...more, { id: "blog/large", hits }]);
      const address = `${await addressOf(service)}&embed=1`;
      const viewport = { width: 280, height: 640 };
      await using opened = await openPage(sharedChromium(), address, { viewport });
      await opened.page.getByRole("link", { name: "Open page" }).waitFor();
      const cut = await opened.page.locator("dd").evaluateAll((all) =>
        all.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent)
      );
      deepStrictEqual(cut, []);
      const height: number = await opened.page.evaluate("document.documentElement.scrollHeight");
      ok(height <= mostHeight, `${height}`);
    },
  );
}

Deno.test(
  "an owner copies the link of a shared page from a group, and the page gives its owner alone the line that embeds it",
  needsChromium,
  async () => {
    await using service = await startShared({ EMBED_ORIGINS: "https://blog.example" });
    const address = await addressOf(service);
    await using opened = await openPage(sharedChromium(), service.url);
    await signIn(opened.page);
    await opened.page.getByText(/^as of /).waitFor();
    await opened.page.getByLabel("Group by prefix").check();
    await opened.page.getByRole("button", { name: "Details of blog/" }).click();
    await opened.page.getByText(`Daily history since ${FIRST_DAY}`).waitFor();
    await opened.page.getByRole("button", { name: "Copy share link of blog/" }).click();
    await opened.page.getByRole("button", { name: "Copied" }).waitFor();
    strictEqual(await opened.page.evaluate("navigator.clipboard.readText()"), address);
    // Another tab of this browser.
    const page = await opened.page.context().newPage();
    await page.goto(`${address}&title=My+garden`);
    await page.getByRole("heading", { name: "My garden", exact: true }).waitFor();
    await page.getByText("Embedding works on https://blog.example.").waitFor();
    await page.getByRole("radio", { name: "light", exact: true }).click();
    await page.getByRole("button", { name: "Copy Embed" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const line: string = await page.evaluate("navigator.clipboard.readText()");
    const source = `${
      address.replaceAll("&", "&amp;")
    }&amp;title=My+garden&amp;embed=1&amp;theme=light`;
    ok(line.startsWith(`<iframe src="${source}" title="Views of My garden" `), line);
    match(line, /height="760" style="border:0;color-scheme:light"/);
    await page.getByRole("radio", { name: "Image" }).click();
    match(
      await page.locator("pre").innerText(),
      /^<a href="[^"]+"><img [^>]*preview\.png\?prefix=/,
    );
    deepStrictEqual(opened.complaints, []);
  },
);
