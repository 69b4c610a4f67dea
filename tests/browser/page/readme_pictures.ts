/**
 * `deno task pictures` draws the pictures of the README from the present page and script. They show
 * the counters with the builder, and the numbers on a blog, both in light and dark.
 */
import { ok } from "node:assert/strict";
import type { Browser } from "playwright-core";
import { PNG } from "pngjs";
import { openChromium } from "../../support/chromium.ts";
import { type CounterLine, importLines, signIn } from "../../support/owner_page.ts";
import { SECRET } from "../../support/secret.ts";
import { startService } from "../../support/service.ts";

/** Size of a view. Two fit side by side into a README. */
const SIZE = { width: 410, height: 700 };
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

/** The posts of the blog: the counter, the title, the day and how it begins. */
const POSTS: [id: string, title: string, day: string, beginning: string][] = [
  [
    "blog/one-file-is-enough",
    "One file is enough",
    "2026-11-18",
    "Most small services never need more than a single database file. Here is where the limit is.",
  ],
  [
    "blog/counting-exactly",
    "Counting exactly",
    "2026-10-30",
    "Two requests, one number: how a counter can answer quickly and still never give a number twice.",
  ],
  [
    "blog/a-week-with-deno",
    "A week with Deno",
    "2026-10-12",
    "I moved four small tools to another runtime, and kept notes about what I missed.",
  ],
];

const BLOG_STYLE = `
  :root { color-scheme: light dark; --text: #1d2321; --soft: #5c6864; --line: #dde4e1; --link: #0b6b57; --ground: #fff }
  @media (prefers-color-scheme: dark) {
    :root { --text: #e6ecea; --soft: #9aa7a2; --line: #2b3230; --link: #5cc8ad; --ground: #121615 }
  }
  body { margin: 0; padding: 24px 36px; background: var(--ground); color: var(--text); font: 15px/1.5 Helvetica, Arial, sans-serif }
  header { display: flex; justify-content: space-between; padding-bottom: 14px; border-bottom: 1px solid var(--line);
    font-size: 19px }
  nav a { margin-left: 20px; color: var(--soft); font-size: 15px; text-decoration: none }
  div { display: grid; grid-template-columns: 1fr 210px; gap: 44px }
  h2 { margin: 22px 0 0; font-size: 21px } h3 { margin: 26px 0 6px; font-size: 15px }
  p { margin: 4px 0 } a { color: var(--link); text-decoration: none }
  .meta, aside { color: var(--soft); font-size: 14px } ol { margin: 0; padding-left: 18px }
  tally-mark { display: inline-block; min-width: 9ch }
`;

if (import.meta.main) {
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:", PUBLIC_READS: "1" },
  });
  await importLines(service, COUNTERS.map(lineOf));
  await using chromium = await openChromium();
  for (const scheme of ["light", "dark"] as const) {
    for (const view of ["counters", "badges"] as const) {
      await writePicture(
        `${view}-${scheme}.png`,
        await drawView(chromium.browser, { url: service.url, scheme, view }),
      );
    }
    const blog = await drawBlog(chromium.browser, service.url, scheme);
    await writePicture(`blog-${scheme}.png`, blog);
  }
}

async function writePicture(name: string, picture: PNG): Promise<void> {
  const { width, height, data } = picture;
  // Even surfaces and repeated shapes pack best as they are, and with fewer shades at the edges of
  // letters.
  for (let at = 0; at < data.length; at++) data[at] = Math.round(data[at] / STEP) * STEP;
  const bytes = PNG.sync.write(picture, {
    colorType: 2,
    filterType: 0,
    deflateStrategy: 0,
    deflateLevel: 9,
  });
  ok(bytes.length < MAX_BYTES, `${name} has ${bytes.length} bytes`);
  await Deno.writeFile(new URL(`../../../.docs/images/${name}`, import.meta.url), bytes);
  console.log(`${name}: ${width}x${height}, ${bytes.length} bytes`);
}

/**
 * Returns a counter with a weekly rhythm, some growth, and one day on which a popular page linked
 * to it.
 */
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

/**
 * A view of the page as its signed-in owner sees it, narrow enough to be read on a phone. On a wide
 * screen, the views are side by side.
 */
async function drawView(
  browser: Browser,
  { url, scheme, view }: { url: string; scheme: "light" | "dark"; view: "counters" | "badges" },
): Promise<PNG> {
  const context = await browser.newContext({
    viewport: SIZE,
    deviceScaleFactor: 2,
    colorScheme: scheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(`${url}/#counters`);
  await signIn(page);
  await page.getByText(`${COUNTERS.length} counters`, { exact: true }).waitFor();
  if (view === "badges") {
    await page.goto(`${url}/#badges&id=user/tallymark`);
    await page.getByLabel("Pill").check();
    await page.waitForLoadState("networkidle");
    // Begins at the preview, which is between the questions on a narrow screen.
    const foot = page.getByText("Preview on light and dark");
    const box = await foot.locator("xpath=ancestor::*[contains(@class, 'panel')][1]").boundingBox();
    await page.mouse.wheel(0, (box?.y ?? 0) - 16);
    await page.waitForFunction("scrollY > 0");
  }
  const picture = PNG.sync.read(await page.screenshot());
  await context.close();
  return picture;
}

/** A blog of another origin: the views of each post, of all posts, and the most read ones. */
async function drawBlog(browser: Browser, url: string, scheme: "light" | "dark"): Promise<PNG> {
  const headers = { "x-auth-token": SECRET };
  const { key } = await (await fetch(`${url}/key?prefix=blog/`, { headers })).json();
  const posts = POSTS.map(([id, title, day, beginning]) =>
    `<article><h2><a href="#">${title}</a></h2><p class="meta"><time>${day}</time> · ` +
    `<tally-mark counter="${id}" words="view,views">–</tally-mark></p><p>${beginning}</p></article>`
  );
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Notes</title>
    <style>${BLOG_STYLE}</style><script async src="${url}/tally.js"></script>
    <header><b>Field notes</b><nav><a href="#">Posts</a><a href="#">About</a></nav></header>
    <div><main>${posts.join("")}</main><aside><h3>Most read this month</h3>
    <tally-top prefix="blog/" key="${key}" period="30d" limit="3" format="compact"></tally-top>
    <h3>All posts</h3><p><tally-mark prefix="blog/" words="view,views">–</tally-mark></p></aside></div>`;
  await using site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(html, { headers: { "content-type": "text/html" } }),
  );
  const context = await browser.newContext({
    viewport: { width: 760, height: 480 },
    deviceScaleFactor: 2,
    colorScheme: scheme,
  });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${site.addr.port}/`);
  await page.locator("tally-top li").nth(2).waitFor();
  await page.getByText(/^[\d,]+ views$/).nth(POSTS.length).waitFor();
  const picture = PNG.sync.read(await page.screenshot());
  await context.close();
  return picture;
}
