/**
 * Draws the pictures of the page that the README shows, from the page as it is now: `deno task pictures`.
 * They are the counters with the builder beside them, in light and dark.
 */
import { ok } from "node:assert/strict";
import type { Buffer } from "node:buffer";
import type { Browser } from "playwright-core";
import { PNG } from "pngjs";
import { openChromium } from "../support/chromium.ts";
import { type CounterLine, importLines, signIn } from "../support/owner_page.ts";
import { SECRET } from "../support/secret.ts";
import { startService } from "../support/service.ts";

const SIZE = { width: 1200, height: 760 };
/** Pixels of the picture for one of the page's. */
const SCALE = 1.5;
/** A README should not make its readers wait. */
const MAX_BYTES = 150_000;
/** Between two shades of a color; it divides 255. */
const STEP = 5;
const DAY_MS = 86_400_000;
const DAYS = 120;

/** Each counter with its usual hits of a day. */
const COUNTERS: [id: string, usual: number][] = [
  ["user/tallymark", 380],
  ["user/blog-engine", 84],
  ["user/dotfiles", 45],
  ["user/solver", 17],
  ["blog/one-file-is-enough", 310],
  ["blog/counting-exactly", 130],
  ["blog/a-week-with-deno", 62],
  ["docs/start", 96],
  ["docs/api", 58],
  ["home", 240],
];

if (import.meta.main) {
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:", PUBLIC_READS: "1" },
  });
  await importLines(service, COUNTERS.map(lineOf));
  await using chromium = await openChromium();
  for (const scheme of ["light", "dark"] as const) {
    const picture = await drawHero(chromium.browser, service.url, scheme);
    const { width, height, data } = picture;
    // Even surfaces and repeated shapes pack best as they are, and with fewer shades at the edges of letters.
    for (let at = 0; at < data.length; at++) data[at] = Math.round(data[at] / STEP) * STEP;
    const bytes = PNG.sync.write(picture, {
      colorType: 2,
      filterType: 0,
      deflateStrategy: 0,
      deflateLevel: 9,
    });
    ok(bytes.length < MAX_BYTES, `the picture in ${scheme} has ${bytes.length} bytes`);
    await Deno.writeFile(new URL(`readme-${scheme}.png`, import.meta.url), bytes);
    console.log(`readme-${scheme}.png: ${width}x${height}, ${bytes.length} bytes`);
  }
}

/** Days with a weekly rhythm, some growth, and one day on which somebody linked to it. */
function lineOf([id, usual]: [id: string, usual: number], row: number): CounterLine {
  const days = Object.fromEntries(
    Array.from({ length: DAYS }, (_, back) => {
      const date = new Date(Date.now() - back * DAY_MS);
      const weekend = [0, 6].includes(date.getUTCDay()) ? 0.62 : 1;
      const wave = 1 + 0.18 * Math.sin(back * 1.7 + row) + 0.12 * Math.sin(back * 0.43 + 2 * row);
      const linked = row === 0 && back === 6 ? 5.6 : row === 0 && back === 5 ? 2.6 : 1;
      const today = back === 0 ? 0.6 : 1;
      const hits = usual * weekend * wave * linked * today * (1 - back / 300);
      return [date.toISOString().slice(0, 10), Math.round(hits)];
    }),
  );
  const sum = Object.values(days).reduce((total, hits) => total + hits, 0);
  return { id, hits: sum + usual * 131, days };
}

/** Both views, as windows on a ground of one color, which a PNG keeps small. */
async function drawHero(browser: Browser, url: string, scheme: "light" | "dark"): Promise<PNG> {
  const counters = await shoot(browser, { url, scheme, width: 1000, height: 880 }, "counters");
  const badges = await shoot(browser, { url, scheme, width: 420, height: 700 }, "badges");
  const [ground, edge] = scheme === "light" ? ["#e4ece9", "#c9d4d0"] : ["#0a0d0c", "#2b3230"];
  const context = await browser.newContext({ viewport: SIZE, deviceScaleFactor: SCALE });
  const page = await context.newPage();
  const image = (bytes: Buffer, place: string) =>
    `<img src="data:image/png;base64,${bytes.toString("base64")}" style="position:absolute;` +
    `border:1px solid ${edge};border-radius:10px;${place}">`;
  await page.setContent(
    `<body style="margin:0;background:${ground}">` +
      image(counters, "left:24px;top:24px;width:808px") +
      image(badges, "right:24px;top:92px;width:372px") + "</body>",
  );
  const picture = PNG.sync.read(await page.screenshot());
  await context.close();
  return picture;
}

interface Window {
  url: string;
  scheme: "light" | "dark";
  width: number;
  height: number;
}

/** A view of the page as its signed-in owner sees it. */
async function shoot(
  browser: Browser,
  { url, scheme, width, height }: Window,
  view: "counters" | "badges",
): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: 2,
    colorScheme: scheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(`${url}/#counters`);
  await signIn(page);
  await page.getByText(`${COUNTERS.length} counters`, { exact: true }).waitFor();
  if (view === "badges") {
    await page.goto(`${url}/#badges`);
    await page.getByLabel("Pill").check();
    await page.waitForLoadState("networkidle");
    // From the preview on, which stands between the questions on a narrow screen.
    const foot = page.getByText("Preview on light and dark");
    const box = await foot.locator("xpath=ancestor::*[contains(@class, 'panel')][1]").boundingBox();
    await page.mouse.wheel(0, (box?.y ?? 0) - 16);
    await page.waitForFunction("scrollY > 0");
  }
  const shot = await page.screenshot();
  await context.close();
  return shot;
}
