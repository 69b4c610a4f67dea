import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { testVisit, type Visit } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";

const SERVED = { openReads: false, serveAs: "busuanzi/blog.example/" };
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
  testVisit(
    `busuanzi's script under Referrer-Policy: ${policy} counts page and site apart, and fills a theme's elements`,
    async ({ site, page, open }) => {
      const shown = async (path: string) => {
        await open(ELEMENTS + SCRIPT, encodeURI(path), { "referrer-policy": policy });
        return await numbersOf(page);
      };
      deepStrictEqual(await shown("/post/1/"), ["1", "1", "1"]);
      deepStrictEqual(await shown("/文章/?from=rss#top"), ["1", "2", "1"]);
      deepStrictEqual(await shown("/post/1/"), ["1", "3", "2"]);
      deepStrictEqual(await shown("/"), ["1", "4", "1"]);
      for (
        const [name, hits] of Object.entries({
          ...{ "post/1": 2, "文章": 1, "": 1, "*site": 4, "*visitors": 1 },
        })
      ) strictEqual(await site.count(`busuanzi/blog.example/${name}`), hits, name);
    },
    SERVED,
  );
}

testVisit(
  "busuanzi's script fills the elements of a page that imports it",
  async ({ page, open }) => {
    await open(`${ELEMENTS}<script>import("${ADDRESS}")</script>`);
    deepStrictEqual(await numbersOf(page), ["1", "1", "1"]);
  },
  SERVED,
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

testVisit("busuanzi's script fills the elements of every theme", async ({ page, open }) => {
  for (const [views, [theme, [load, address, elements]]] of Object.entries(THEMES).entries()) {
    const script = `<script ${load} src="http://tally.example/as/busuanzi/${address}"></script>`;
    await open(`<title>A</title>${script}${elements}`, `/${encodeURIComponent(theme)}/`);
    await page.waitForFunction(
      `[...document.querySelectorAll("p")].every(({ id, innerText }) =>
        innerText.trim() === (/(site|today)_pv/.test(id) ? "${views + 1}" : "1"))`,
    );
  }
}, SERVED);

testVisit(
  "busuanzi's JSONP form fills the page that a script such as NotionNext's asks for",
  async ({ site, page, open }) => {
    const elements = ELEMENTS.replaceAll(" id=", " data-was=")
      .replaceAll(/ class="post-meta-item" data-was="(\w+)"/g, ' class="post-meta-item $1"')
      .replaceAll(/<span data-was="(\w+)"/g, '<span class="$1"');
    await open(
      `${elements}<script>
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
      "/old/",
    );
    deepStrictEqual(await numbersOf(page), ["1", "1", "1"]);
    strictEqual(await site.count("busuanzi/blog.example/old"), 1);
  },
  SERVED,
);

testVisit(
  "busuanzi's script leaves a theme's elements hidden on a site that is not opened",
  async ({ site, page, open }) => {
    const refused = page.waitForEvent("requestfailed");
    await open(ELEMENTS + SCRIPT);
    await refused;
    deepStrictEqual(await page.locator("span span").allTextContents(), ["", "", ""]);
    strictEqual(await page.locator(".post-meta-item:visible").count(), 0);
    strictEqual(await site.count("busuanzi/blog.example/*site"), 0);
  },
  { openReads: false, serveAs: "busuanzi/other.example/" },
);

/** The numbers that are shown, once all are. */
async function numbersOf(page: Visit["page"]): Promise<string[]> {
  return await waitFor("the numbers", async () => {
    if (await page.locator(".post-meta-item:visible").count() < 3) return undefined;
    return await page.locator("span span").allTextContents();
  });
}
