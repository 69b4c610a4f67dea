import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { needsChromium } from "../../support/chromium.ts";
import { openEmbedding } from "../../support/embedding.ts";
import { openReader, shareReaders } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";

shareReaders();

/**
 * Sends what applause-button 4.0.5 sends: the number of claps and its own version as a JSON string,
 * without a preflight.
 */
const BUTTON = `<button>0</button><script>{
  const api = "http://tally.example/as/applause";
  const url = location.href;
  const button = document.querySelector("button");
  const show = (response) => response.text().then((text) => button.textContent = Number(text));
  fetch(api + "/get-claps?url=" + url).then(show);
  button.onclick = () => fetch(api + "/update-claps?url=" + url, {
    method: "POST",
    headers: { "Content-Type": "text/plain" },
    body: JSON.stringify("3,4.0.5"),
  }).then(show);
}</script>`;

Deno.test("the requests of applause-button count claps for each page", needsChromium, async () => {
  const options = { openReads: true, serveAs: "applause/blog.example/" };
  await using site = await openEmbedding(options);
  for (const path of ["/a/", "/b/"]) site.pages.set(path, { html: BUTTON });
  await site.set({ "applause/blog.example/a/": 4 });
  await using reader = await openReader();
  const { page } = reader;
  const shows = (text: string) =>
    waitFor(text, async () => await page.textContent("button") === text || undefined);
  await page.goto("http://blog.example/a/");
  await shows("4");
  await page.click("button");
  await shows("7");
  await page.goto("http://blog.example/b/");
  await page.click("button");
  await shows("3");
  await page.goto("http://blog.example/a/?utm=x#top");
  await shows("7");
  const tab = await reader.context.newPage();
  await tab.goto("http://blog.example/a/");
  await Promise.all([page.click("button"), tab.click("button")]);
  await shows(
    await waitFor("the second clap", async () => {
      const count = await site.count("applause/blog.example/a/");
      return count === 13 ? await page.textContent("button") ?? undefined : undefined;
    }),
  );
  strictEqual(await site.count("applause/blog.example/a/"), 13);
  deepStrictEqual(reader.complaints, []);
});
