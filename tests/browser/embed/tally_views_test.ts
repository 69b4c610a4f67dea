import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { browse } from "../../support/chromium.ts";
import { type Embedding, SCRIPT, WINDOW_ARGS } from "../../support/embedding.ts";
import { shows, testVisit } from "../../support/reader.ts";
import { waitFor } from "../../support/wait_for.ts";

testVisit(
  "tally.js counts a view whenever a single-page app changes `counter`, and none for moving an element",
  async ({ site, page, open, counts }) => {
    const [a, b] = [await site.markOf("a"), await site.markOf("b")];
    await open(`${SCRIPT}<template>${a}${b}</template><p>${a}</p><div></div>`);
    await shows(page, ["1"]);
    await page.evaluate(`{
      const [a, b] = document.querySelector("template").content.children;
      globalThis.mark = document.querySelector("tally-mark");
      globalThis.turn = (id) => {
        for (const name of ["counter", "key"]) {
          mark.setAttribute(name, (id === "a" ? a : b).getAttribute(name));
        }
      };
      turn("b");
    }`);
    // The first counter has shown a 1 as well.
    await counts("b", 1);
    await shows(page, ["1"]);
    await page.evaluate('turn("a")');
    await shows(page, ["2"]);
    await page.evaluate('document.querySelector("div").append(mark); mark.textContent = "–"');
    await shows(page, ["2"]);
    deepStrictEqual([await site.count("a"), await site.count("b")], [2, 1]);
  },
  { openReads: false },
);

testVisit(
  "tally.js shows no number of another counter where the one that an app changed to is away",
  async ({ site, page, open, reader: { context } }) => {
    await open(SCRIPT + await site.markOf("a"));
    await shows(page, ["1"]);
    await context.setOffline(true);
    const failed = page.waitForEvent("requestfailed");
    await page.evaluate('document.querySelector("tally-mark").setAttribute("counter", "b")');
    await failed;
    await shows(page, ["–"]);
  },
  { openReads: false },
);

/** The elements of a page that prerenders another and goes there when the site answers. */
function leadTo(url: string, gate: string): string {
  const rules = { prerender: [{ urls: [url], eagerness: "immediate" }] };
  return `<script type="speculationrules">${JSON.stringify(rules)}</script>
    <script>fetch("${gate}").then(() => location.href = "${url}")</script>`;
}

testVisit(
  "tally.js counts what changes in a tab behind others when a reader looks at it, a page that was prerendered, and takes its #tally-skip, when it is shown, and one that was prefetched never",
  async ({ site, counts }) => {
    const [a, b] = [await site.markOf("a"), await site.markOf("b")];
    site.pages.set("/", {
      html: `${SCRIPT}<template>${b}</template>${a}<script>
      fetch("/wait/hidden").then(() => open("/front"));
      addEventListener("visibilitychange", () => {
        if (!document.hidden) return;
        document.body.append(document.querySelector("template").content);
        // Had it been counted, that would have been sent before this.
        fetch("http://tally.example/healthz", { mode: "no-cors" }).then(() => fetch("/hidden"));
      });
      fetch("/wait/next").then(() => location.href = "/leads");
    </script>`,
    });
    site.pages.set("/front", { html: '<script>fetch("/wait/visible").then(close)</script>' });
    site.pages.set("/leads", {
      html: '<link rel="prefetch" href="/prefetched">' + leadTo("/shown", "/wait/shown"),
    });
    site.pages.set("/prefetched", { html: SCRIPT + await site.markOf("prefetched") });
    site.pages.set("/shown", {
      html: `${SCRIPT}${await site.markOf("shown")}<script>
      customElements.whenDefined("tally-mark").then(() => fetch("/ready"));
      document.addEventListener("prerenderingchange", () => fetch("/activated"));
    </script>${leadTo("/own#tally-skip", "/wait/own")}`,
    });
    // The script looks at the address every 250 ms, also in a page that is prerendered.
    site.pages.set("/own", {
      html: `${SCRIPT}${await site.markOf("own")}<script>
      let turns = 0;
      const report = () => turns++ < 3 || fetch(localStorage["tally-skip"] ? "/skips" : "/counts");
      customElements.whenDefined("tally-mark").then(() => setInterval(report, 250));
    </script>`,
    });
    const args = [...WINDOW_ARGS, "--disable-popup-blocking"];
    await using _ = await browse("http://blog.example/", args);
    await counts("a", 1);
    site.release("/wait/hidden");
    await isAsked(site, "/hidden");
    strictEqual(await site.count("b"), 0);
    site.release("/wait/visible");
    await counts("b", 1);
    site.release("/wait/next");
    await isAsked(site, "/ready (prefetch;prerender)");
    await isAsked(site, "/prefetched (prefetch)");
    strictEqual(await site.count("shown"), 0);
    site.release("/wait/shown");
    await isAsked(site, "/activated");
    await counts("shown", 1);
    const reports = () => site.asked.filter((path) => /^\/(skips|counts)/.test(path));
    const first = await waitFor("a report", () => reports()[0]);
    site.release("/wait/own");
    strictEqual(first, "/counts (prefetch;prerender)");
    await isAsked(site, "/skips");
    const ids = ["a", "b", "shown", "prefetched", "own"];
    deepStrictEqual(await Promise.all(ids.map((id) => site.count(id))), [1, 1, 1, 0, 0]);
  },
);

async function isAsked(site: Embedding, path: string): Promise<void> {
  await waitFor(path, () => site.asked.includes(path) || undefined);
}
