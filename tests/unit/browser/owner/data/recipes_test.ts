import { deepStrictEqual, ok } from "node:assert/strict";
import { pageId } from "../../../../../src/browser/embed/page_id.ts";
import { importOf } from "../../../../support/data_files.ts";

/** Files of all places with pages, each with seven views of one page. */
const FILES: Readonly<Record<string, (page: string) => string>> = {
  GA4: (page) => `Page location,Views\nhttps://example.com${page},7\n`,
  Plausible: (page) => `name,visitors,pageviews\n${page},5,7\n`,
  Fathom: (page) => `datetime,pathname,pageviews\n2026-01-01,${page},7\n`,
  "Simple Analytics": (page) => `added_iso,path\n${`2026-01-01T00:00:00Z,${page}\n`.repeat(7)}`,
  Umami: (page) => `url_path,event_type,created_at\n${`${page},1,2026-01-01 00:00:00\n`.repeat(7)}`,
  Matomo: (page) => `label,nb_hits,url\n/x,7,https://example.com${page}\n`,
  GoAccess: (page) => JSON.stringify({ requests: { data: [{ hits: { count: 7 }, data: page }] } }),
  GoatCounter: (page) => `2Path,Event,Bot,Date\n${`${page},false,0,2026-01-01\n`.repeat(7)}`,
  LeanCloud: (page) => `[{"url":"${page}","title":"x","time":7}]`,
  Waline: (page) => `id,time,url\n1,7,${page}\n`,
  Jetpack: (page) => `"Hello",7,"https://example.com${page}"\n`,
  "a table": (page) => `page,count\n${page},7\n`,
};

/** Addresses at which a page is opened, and the one that a place has noted. */
const PAGES = [
  ["/hello", "/hello/"],
  ["/hello/", "/hello"],
  ["/hello/index.html", "/hello/"],
  ["/hello/?utm_source=feed", "/hello/index.html"],
  ["/h%C3%A9llo/", "/héllo/"],
  ["/", "/index.html"],
  ["/?p=7&page_id=2&id=start&utm_source=feed", "/?p=7&page_id=2&id=start"],
] as const;

/** The recipes by the prefix and the query of the ids that they make. */
const recipes = Map.groupBy(
  [...Deno.readDirSync(".docs/sites")].map(({ name }) => {
    const recipe = Deno.readTextFileSync(`.docs/sites/${name}`);
    const attribute = (name: string) => new RegExp(`${name}="([^"{}]+)"`).exec(recipe)?.[1] ?? "";
    const hasPageIds = /counter="auto"|counter="blog\/\{\{/.test(recipe);
    return { name, hasPageIds, prefix: attribute("prefix") || "blog/", query: attribute("query") };
  }),
  ({ prefix, query }) => JSON.stringify({ prefix, query }),
);

for (const some of recipes.values()) {
  const [{ prefix = "", query = "" } = {}] = some;
  Deno.test(`an import shows on the pages of ${some.map(({ name }) => name)}, from every place`, async () => {
    ok(some.every(({ hasPageIds }) => hasPageIds), "A recipe has another kind of id.");
    for (const [opened, noted] of PAGES) {
      const id = pageId(opened, prefix, query);
      for (const [place, file] of Object.entries(FILES)) {
        const { lines, tables: [table] } = await importOf(
          { "x.txt": file(noted) },
          { prefix, query },
        );
        const [line = ""] = lines;
        const { hits, days, ...asked } = JSON.parse(line);
        deepStrictEqual([asked, hits ?? days["2026-01-01"]], [{ id }, 7], `${place} ${noted}`);
        ok(table?.source?.name === place || place === "a table", place);
      }
    }
  });
}
