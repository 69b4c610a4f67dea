import { deepStrictEqual } from "node:assert/strict";
import { testVisit } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";

/**
 * Sends what applause-button 4.0.5 sends: the number of claps and its own version as a JSON string,
 * without a preflight.
 */
const BUTTON = `<button>–</button><script>{
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

testVisit("the requests of applause-button count claps for each page", async (visit) => {
  const { site, reader, page } = visit;
  for (const path of ["/a/", "/b/"]) site.pages.set(path, { html: BUTTON });
  const shows = (text: string) =>
    waitFor(text, async () => await page.textContent("button") === text || undefined);
  await page.goto("http://blog.example/a/");
  await shows("4");
  await page.click("button");
  await shows("7");
  await page.goto("http://blog.example/b/");
  await shows("0");
  await page.click("button");
  await shows("3");
  await page.goto("http://blog.example/a/?utm=x#top");
  await shows("7");
  const tab = await reader.context.newPage();
  await tab.goto("http://blog.example/a/");
  await Promise.all([page.click("button"), tab.click("button")]);
  await waitFor("both", async () => await site.count("applause/blog.example/a/") === 13);
  deepStrictEqual(reader.complaints, []);
}, { serveAs: "applause/blog.example/", numbers: { "applause/blog.example/a/": 4 } });
