import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { SCRIPT } from "../../support/embedding.ts";
import { shows, testVisit, type Visit, type VisitOptions } from "../../support/reader.ts";

/** Tests a page of a blog whose elements show counters with these numbers. */
function testReads(
  name: string,
  numbers: Record<string, number>,
  test: (visit: Visit) => Promise<void>,
  options: VisitOptions = {},
): void {
  testVisit(
    name,
    (visit) => test({ ...visit, open: (html, path) => visit.open(SCRIPT + html, path) }),
    {
      ...options,
      numbers,
    },
  );
}

const HUNDRED = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [`post/${index}`, index]),
);

testReads(
  "tally.js asks once for a hundred elements that only read, and says once that they do",
  HUNDRED,
  async ({ reader, requests, open }) => {
    await open(Object.keys(HUNDRED).map((id) => mark(`counter="${id}"`)).join("").repeat(2));
    await shows(reader.page, [...Object.values(HUNDRED), ...Object.values(HUNDRED)].map(String));
    strictEqual(requests.filter((path) => path.startsWith("/count")).length, 1);
    deepStrictEqual(reader.complaints, ["tally.js: only reading post/0"]);
  },
);

testReads(
  "tally.js reads more than a hundred counters in several requests, whatever they are called",
  { ["__proto__"]: 5, "a&b": 6 },
  async ({ reader, requests, open }) => {
    const ids = [
      "__proto__",
      "a&amp;b",
      ...Array.from({ length: 198 }, (_, index) => `new${index}`),
    ];
    await open(ids.map((id) => mark(`counter="${id}"`)).join(""));
    await shows(reader.page, ["5", "6", ...Array(198).fill("0")]);
    strictEqual(requests.filter((path) => path.startsWith("/counts")).length, 2);
  },
);

/** As long as an id may be, and three times that in a query. */
const LONG_IDS = Array.from({ length: 100 }, (_, index) => `${"閲".repeat(65)}/${index}`);

testReads(
  "tally.js reads counters with long ids in as many requests as their queries need",
  Object.fromEntries(LONG_IDS.map((id, index) => [id, index])),
  async ({ reader, requests, open }) => {
    await open([...LONG_IDS, "x".repeat(9000)].map((id) => mark(`counter="${id}"`)).join(""));
    await shows(reader.page, [...LONG_IDS.map((_, index) => String(index)), "–"]);
    const reads = requests.filter((path) => path.startsWith("/counts"));
    ok(reads.length < 12, `${reads.length} requests`);
  },
);

testReads(
  "tally.js shows the other counters of a page that asks for an id which cannot be one, and those whose ids the service writes in another form, or have blanks around them",
  { "caf\u00e9": 3, "blog/first": 2 },
  async ({ reader, requests, open }) => {
    // Those of a period share a request.
    await open([
      ...["blog/first", "x".repeat(300)].map((id) => mark(`counter="${id}" period="today"`)),
      ...["cafe\u0301", " blog/first "].map((id) => mark(`counter="${id}"`)),
    ].join(""));
    await shows(reader.page, ["2", "–", "3", "2"]);
    strictEqual(requests.filter((path) => path.startsWith("/counts")).length, 2);
  },
);

testReads(
  "tally.js shows the sum of a group, a period, compact numbers, and words that agree with them",
  { "blog/a": 12_999, "blog/b": 1 },
  async ({ reader, requests, open }) => {
    const words = 'words="view,views"';
    await open([
      mark('prefix="blog/"'),
      mark('counter="blog/a" format="compact"'),
      mark(`counter="blog/a" period="yesterday" ${words}`),
      mark(`counter="blog/b" ${words}`),
    ].join(""));
    await shows(reader.page, ["13,000", "12K", "0 views", "1 view"]);
    deepStrictEqual(requests.filter((path) => path.startsWith("/count")).toSorted(), [
      "/count.txt?prefix=blog%2F&period=total",
      "/counts?id=blog%2Fa&id=blog%2Fb&period=total",
      "/counts?id=blog%2Fa&period=yesterday",
    ]);
  },
);

const LANGUAGES: [lang: string, words: string, texts: string[]][] = [
  ["pl", "wyświetlenie,wyświetlenia,wyświetleń", [
    "0 wyświetleń",
    "1 wyświetlenie",
    "3 wyświetlenia",
    "12 345 wyświetleń",
    "1 000 000 wyświetleń",
  ]],
  ["ar-EG", "صفر,مشاهدة,مشاهدتان,مشاهدات,مشاهدةً,مشاهدة واحدة", [
    "٠ صفر",
    "١ مشاهدة",
    "٣ مشاهدات",
    "١٢٬٣٤٥ مشاهدةً",
    "١٬٠٠٠٬٠٠٠ مشاهدة واحدة",
  ]],
  ["zh-Hans", "次浏览", ["0 次浏览", "1 次浏览", "3 次浏览", "12,345 次浏览", "1,000,000 次浏览"]],
  ["fr_FR", "vue,de vues,vues", [
    "0 vue",
    "1 vue",
    "3 vues",
    "12\u202f345 vues",
    "1\u202f000\u202f000 de vues",
  ]],
  ...["", "no language", "{{ page.lang }}"].map((
    lang,
  ): [string, string, string[]] => [lang, "просмотр,просмотра,просмотров", [
    "0 просмотров",
    "1 просмотр",
    "3 просмотра",
    "12 345 просмотров",
    "1 000 000 просмотров",
  ]]),
];

testReads(
  "elements follow the language of the nearest ancestor that names one, and otherwise the browser",
  { "b/a": 0, "b/b": 1, "b/c": 3, "b/d": 12_345, "b/e": 1_000_000 },
  async ({ site, reader, open }) => {
    const blocks = LANGUAGES.map(([lang, words]) => {
      const marks = ["a", "b", "c", "d", "e"].map((id) =>
        mark(`counter="b/${id}" words="${words}"`)
      );
      return `<p lang="${lang}"><b>${marks.join("")}</b></p>`;
    });
    const top = `<tally-top lang="pl" prefix="b/" key="${await site.groupKey("b/")}"></tally-top>`;
    await open(`<div lang="de">${blocks.join("")}</div>${top}`);
    const texts = LANGUAGES.flatMap(([, , texts]) => texts);
    await shows(reader.page, texts.map((text) => text.replaceAll(/(?<=\d) (?=\d)/g, "\u00a0")));
    await reader.page.locator("tally-top a").first().waitFor();
    strictEqual(await reader.page.innerText("tally-top li"), "e 1\u00a0000\u00a0000");
  },
  { locale: "ru-RU" },
);

testReads(
  "tally.js counts once for a total and a period of the same counter, and each visitor once a day",
  {},
  async ({ site, reader, requests, open }) => {
    const key = await site.groupKey("blog/");
    const html = mark(`counter="blog/a" key="${key}" once="day"`) +
      mark(`counter="blog/a" key="${key}" once="day" period="today"`);
    await open(html);
    await shows(reader.page, ["1", "1"]);
    const hits = requests.filter((path) => path.startsWith("/hit"));
    deepStrictEqual(hits, [`/hit?id=blog%2Fa&key=${key}&once=day`]);
    await reader.page.reload();
    await shows(reader.page, ["1", "1"]);
    strictEqual(await site.count("blog/a"), 1);
  },
);

testReads(
  'counter="auto" is the path of the page below the prefix, also when an app goes on to another',
  {},
  async ({ site, reader, open, counts }) => {
    const html = mark(`counter="auto" prefix="blog/" key="${await site.groupKey("blog/")}"`);
    await open(html, "/2026/%C3%BCber/");
    await shows(reader.page, ["1"]);
    strictEqual(await site.count("blog/2026/über"), 1);
    await reader.page.evaluate('history.pushState(null, "", "/blog/next")');
    await counts("blog/next", 1);
    await reader.page.evaluate('history.pushState(null, "", "/")');
    await counts("blog/home", 1);
    await shows(reader.page, ["1"]);
  },
);

testReads(
  "<tally-top> lists links to the most read pages, which stay on the site whatever ids hold, and are no scripts where the ids are whole addresses",
  {
    ...{ "blog/a b": 3, "blog//evil.example": 2, "blog/javascript:alert(1)": 1, "blog/last": 0 },
    ...{ "web/javascript:alert(1)": 2, "web/https://other.example/": 1 },
  },
  async ({ site, reader, open }) => {
    const key = await site.groupKey("blog/");
    await open(
      `<tally-top prefix="blog/" key="${key}" limit="3" href="/" words="view,views"></tally-top>`,
    );
    const links = reader.page.locator("tally-top a");
    await links.first().waitFor();
    deepStrictEqual(await reader.page.locator("tally-top li").allInnerTexts(), [
      "a b 3 views",
      "/evil.example 2 views",
      "javascript:alert(1) 1 view",
    ]);
    const targets = await links.evaluateAll((all) => all.map((link) => String(link)));
    deepStrictEqual(targets, [
      "http://blog.example/a%20b",
      "http://blog.example/evil.example",
      "http://blog.example/javascript:alert(1)",
    ]);
    await open(
      `<tally-top prefix="web/" key="${await site.groupKey("web/")}" href=""></tally-top>`,
    );
    await links.first().waitFor();
    deepStrictEqual(
      await links.evaluateAll((all) => all.map((link) => link.getAttribute("href"))),
      [null, "https://other.example/"],
    );
  },
);

const PREFIXES = ["/", "/blog/", "//blog/"];

testReads(
  "<tally-top> links to pages of the site where the ids begin with a slash, or with two",
  Object.fromEntries(
    PREFIXES.flatMap((prefix, at) => [
      [`${prefix}first`, 9 - 2 * at],
      [`${prefix}C%2B%2B/ü%`, 8 - 2 * at],
    ]),
  ),
  async ({ site, reader, open }) => {
    const tops = PREFIXES.map(async (prefix) => {
      const key = await site.groupKey(prefix);
      return `<tally-top prefix="${prefix}" key="${key}" limit="2"></tally-top>`;
    });
    await open((await Promise.all(tops)).join(""));
    const links = reader.page.locator("tally-top a");
    await links.nth(5).waitFor();
    deepStrictEqual(
      await links.evaluateAll((all) => all.map((link) => String(link))),
      PREFIXES.map((prefix) => prefix.replace("//", "/")).flatMap((path) => [
        `http://blog.example${path}first`,
        `http://blog.example${path}C%2B%2B/%C3%BC%25`,
      ]),
    );
  },
);

testReads(
  "tally.js leaves everything as it is where the service cannot be reached",
  {},
  async ({ reader, open }) => {
    await reader.page.route(
      "http://tally.example/*",
      (route) =>
        /(?:tally|top)\.js$/.test(route.request().url()) ? route.continue() : route.abort(),
    );
    const failed = Promise.all(
      ["counts", "top", "count.txt"].map((path) =>
        reader.page.waitForEvent("requestfailed", (request) => request.url().includes(`/${path}?`))
      ),
    );
    await open(
      `${mark('counter="a"')}${mark('prefix="b/"')}<tally-top prefix="b/" key="k">soon</tally-top>`,
    );
    await failed;
    await shows(reader.page, ["–", "–"]);
    strictEqual(await reader.page.innerText("tally-top"), "soon");
    ok(
      reader.complaints.every((text) => !/Uncaught|TypeError:/.test(text)),
      `${reader.complaints}`,
    );
  },
);

function mark(attributes: string): string {
  return `<tally-mark ${attributes}>–</tally-mark>`;
}
