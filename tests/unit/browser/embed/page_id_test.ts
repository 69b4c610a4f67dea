import { strictEqual } from "node:assert/strict";
import { pageId } from "../../../../src/browser/embed/page_id.ts";

const PAGES: [address: string, prefix: string, id: string, names?: string][] = [
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
  ["//", "b/", "b/home"],
  ["/?p=1", "blog/", "blog/home"],
  ["/?page_id=2&x=3&p=1", "blog/", "blog/?p=1&page_id=2", "p,page_id"],
  ["/index.php/archives/1/?p=", "", "index.php/archives/1?p=", "p"],
  ["/a/?utm_source=x&q=%C3%BC+b&gclid=1&fbclid=2", "", "a?q=ü b", "*"],
  ["/a/?utm_source=x", "", "a", "*"],
];

for (const [address, prefix, id, names] of PAGES) {
  Deno.test(`pageId of ${address} below "${prefix}" with "${names ?? ""}" is ${id}`, () => {
    strictEqual(pageId(address, prefix, names), id);
  });
}
