import { strictEqual } from "node:assert/strict";
import { pageId } from "../../../../src/browser/embed/page_id.ts";

const PAGES: [path: string, prefix: string, id: string][] = [
  ["/", "", "home"],
  ["/", "blog/", "blog/home"],
  ["/index.html", "blog/", "blog/home"],
  ["/hello/", "blog/", "blog/hello"],
  ["/hello/index.html", "blog/", "blog/hello"],
  ["/hello.html", "blog/", "blog/hello.html"],
  ["/myindex.html", "", "myindex.html"],
  ["/blog/hello", "blog/", "blog/hello"],
  ["/2026/%C3%BCber/", "", "2026/über"],
  ["/über", "", "über"],
  ["/a%2Fb", "", "a%2Fb"],
  ["/%ff/", "b/", "b/%ff"],
  ["/100%/über/", "", "100%/über"],
];

for (const [path, prefix, id] of PAGES) {
  Deno.test(`pageId of ${path} below "${prefix}" is ${id}`, () => {
    strictEqual(pageId(path, prefix), id);
  });
}
