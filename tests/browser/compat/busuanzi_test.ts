import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { needsChromium } from "../../support/chromium.ts";
import { openEmbedding } from "../../support/embedding.ts";
import { openReader, shareReaders } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";

shareReaders();

const SERVED = { serveAs: "busuanzi/blog.example/" };
const ADDRESS = "http://tally.example/as/busuanzi/busuanzi/2.3/busuanzi.pure.mini.js";
const SCRIPT = `<script async src="${ADDRESS}"></script>`;
/**
 * The elements that the theme NexT has in its foot and below each title; hidden until there is a
 * number.
 */
const ELEMENTS = ["site_uv", "site_pv", "page_pv"].map((name) =>
  `<span class="post-meta-item" id="busuanzi_container_${name}" style="display: none">` +
  `<i class="fa fa-user"></i><span id="busuanzi_value_${name}"></span></span>`
).join("");

for (const policy of ["strict-origin-when-cross-origin", "no-referrer"]) {
  Deno.test(
    `busuanzi's script under Referrer-Policy: ${policy} counts page and site apart, and fills a theme's elements`,
    needsChromium,
    async () => {
      await using site = await openEmbedding(SERVED);
      const page = { html: ELEMENTS + SCRIPT, headers: { "referrer-policy": policy } };
      for (const path of ["/", "/post/1/", "/文章/"]) site.pages.set(encodeURI(path), page);
      await using reader = await openReader();
      const shown = async (path: string) => {
        await reader.page.goto(`http://blog.example${path}`);
        return await numbersOf(reader.page);
      };
      deepStrictEqual(await shown("/post/1/"), ["1", "1", "1"]);
      deepStrictEqual(await shown("/文章/?from=rss#top"), ["1", "2", "1"]);
      deepStrictEqual(await shown("/post/1/"), ["1", "3", "2"]);
      deepStrictEqual(await shown("/"), ["1", "4", "1"]);
      strictEqual(await site.count("busuanzi/blog.example/post/1"), 2);
      strictEqual(await site.count("busuanzi/blog.example/文章"), 1);
      strictEqual(await site.count("busuanzi/blog.example/"), 1);
      strictEqual(await site.count("busuanzi/blog.example/*site"), 4);
      strictEqual(await site.count("busuanzi/blog.example/*visitors"), 1);
    },
  );
}

Deno.test(
  "busuanzi's script fills the elements of a page that imports it",
  needsChromium,
  async () => {
    await using site = await openEmbedding(SERVED);
    site.pages.set("/", { html: `${ELEMENTS}<script>import("${ADDRESS}")</script>` });
    await using reader = await openReader();
    await reader.page.goto("http://blog.example/");
    deepStrictEqual(await numbersOf(reader.page), ["1", "1", "1"]);
  },
);

const OLD = "busuanzi/2.3/busuanzi.pure.mini.js";
/** The attributes of the script of a theme or a service, and its elements in the page. */
const THEMES: Record<string, readonly [load: string, address: string, elements: string]> = {
  Butterfly: ["async", OLD, '<p id="busuanzi_value_site_uv"><i class="fa-spinner"></i></p>'],
  Anzhiyu: ["async data-pjax", OLD, '<p id="busuanzi_value_site_pv"><i class="fa-spin"></i></p>'],
  Fluid: [
    "defer",
    OLD,
    '<i id="busuanzi_container_page_pv" style="display: none"><p id="busuanzi_value_page_pv"></p></i>',
  ],
  FixIt: [
    "async defer",
    "js",
    '<i id="busuanzi_container_site_uv"><p id="busuanzi_value_site_uv">-</p></i>',
  ],
  Vercount: [
    "defer",
    "js/client.min.js",
    '<p id="vercount_value_page_pv"></p><p class="busuanzi_value_page_pv"></p><p class="busuanzi_value_page_pv"></p>',
  ],
  "soxft/busuanzi": ["defer", "js", '<p id="busuanzi_page_pv"></p><p id="busuanzi_site_uv"></p>'],
  "busuanzi.cc": [
    "defer",
    "busuanzi/3.6.9/busuanzi.min.js",
    '<p id="busuanzi_today_pv">…</p><p id="busuanzi_today_uv">…</p><p id="busuanzi_site_pv">…</p>',
  ],
};

for (const [theme, [load, address, elements]] of Object.entries(THEMES)) {
  Deno.test(`busuanzi's script fills the elements of ${theme}`, needsChromium, async () => {
    await using site = await openEmbedding(SERVED);
    const script = `<script ${load} src="http://tally.example/as/busuanzi/${address}"></script>`;
    site.pages.set("/", { html: `<title>A</title>${script}${elements}` });
    await using reader = await openReader();
    await reader.page.goto("http://blog.example/");
    await reader.page.waitForFunction(
      '[...document.querySelectorAll("p")].every((p) => p.innerText.trim() === "1")',
    );
  });
}

Deno.test(
  "busuanzi's JSONP form fills the page that a script such as NotionNext's asks for",
  needsChromium,
  async () => {
    await using site = await openEmbedding(SERVED);
    const elements = ELEMENTS.replaceAll(" id=", " data-was=")
      .replaceAll(/ class="post-meta-item" data-was="(\w+)"/g, ' class="post-meta-item $1"')
      .replaceAll(/<span data-was="(\w+)"/g, '<span class="$1"');
    site.pages.set("/old/", {
      html: `${elements}<script>
        function BusuanziCallback_1(numbers) {
          for (const name of ["site_uv", "site_pv", "page_pv"]) {
            document.querySelector(".busuanzi_value_" + name).innerHTML = numbers[name];
            document.querySelector(".busuanzi_container_" + name).style.display = "inline";
          }
        }
        document.head.append(Object.assign(document.createElement("script"), {
          defer: true,
          referrerPolicy: "no-referrer-when-downgrade",
          src: "http://tally.example/as/busuanzi/busuanzi?jsonpCallback=BusuanziCallback_1",
        }));
      </script>`,
    });
    await using reader = await openReader();
    await reader.page.goto("http://blog.example/old/");
    deepStrictEqual(await numbersOf(reader.page), ["1", "1", "1"]);
    strictEqual(await site.count("busuanzi/blog.example/old"), 1);
  },
);

Deno.test(
  "busuanzi's script leaves a theme's elements hidden on a site that is not opened",
  needsChromium,
  async () => {
    await using site = await openEmbedding({ serveAs: "busuanzi/other.example/" });
    site.pages.set("/", { html: ELEMENTS + SCRIPT });
    await using reader = await openReader();
    const refused = reader.page.waitForEvent("requestfailed");
    await reader.page.goto("http://blog.example/");
    await refused;
    deepStrictEqual(await reader.page.locator("span span").allTextContents(), ["", "", ""]);
    strictEqual(await reader.page.locator(".post-meta-item:visible").count(), 0);
    strictEqual(await site.count("busuanzi/blog.example/*site"), 0);
  },
);

/** The numbers that are shown, once all are. */
async function numbersOf(page: Awaited<ReturnType<typeof openReader>>["page"]): Promise<string[]> {
  return await waitFor("the numbers", async () => {
    if (await page.locator(".post-meta-item:visible").count() < 3) return undefined;
    return await page.locator("span span").allTextContents();
  });
}
