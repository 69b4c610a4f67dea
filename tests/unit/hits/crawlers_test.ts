import { strictEqual } from "node:assert/strict";
import { agentKind, crawlerName } from "../../../src/hits/hit_policy.ts";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
  "Chrome/156.0.0.0 Safari/537.36";

const kinds = {
  "reader": [
    CHROME,
    "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:148.0) Gecko/20100101 Firefox/148.0",
    `${CHROME} Camouflage/1.0`,
    // Old browsers in the form of crawlers.
    "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)",
    "Mozilla/5.0 (compatible; Konqueror/4.5; FreeBSD) KHTML/4.5.4 (like Gecko)",
    "",
    // Only the first 1,000 characters are read.
    `${CHROME} ${"x".repeat(1000)} GPTBot/1.0`,
  ],
  "crawler": [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "GPTBot/1.0",
    "curl/8.5.0",
    CHROME.replace("Chrome", "HeadlessChrome"),
    `GPTBot/1.0 ${"x".repeat(1000)}`,
    "Mozilla/5.0 (compatible)",
    // Crawlers and tools whose names isbot 5.2.3 does not know all.
    "Mozilla/5.0 (X11; Linux x86_64; rv:100.0) Gecko/20100101 Firefox/100.0 Sphinx/9.0.4",
    // Sphinx 5.3.0, which Debian 12 has, and the privacy plugin of Material for MkDocs.
    "Mozilla/5.0 (X11; Linux x86_64; rv:25.0) Gecko/20100101 Firefox/25.0",
    CHROME.replace("156.0.0.0", "98.0.4758.102"),
    "Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/534.34 (KHTML, like Gecko) wkhtmltopdf Safari/534.34",
    "Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.0.0",
    "lychee/0.15.1",
    "WeasyPrint 62.3",
    "Prince/15.3 (www.princexml.com)",
    "htmltest/0.17.0",
    "Mozilla/5.0 (compatible; HTML Proofer/5.0.9; +https://github.com/gjtorikian/html-proofer)",
    "Mozilla/5.0 (compatible; LinkChecker/10.4; +https://linkchecker.github.io/linkchecker/)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)",
    "Mozilla/5.0 (Macintosh) AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0) Chrome/140.0",
  ],
  "image proxy": [
    "github-camo (876de43e)",
    "Camo Asset Proxy 2.3.0",
    "go-camo",
    "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    "Mozilla/5.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Example-ImageProxy/1.0",
    "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
  ],
};

for (const [kind, agents] of Object.entries(kinds)) {
  for (const agent of agents) {
    Deno.test(`agentKind() takes ${agent.slice(0, 120) || "nothing"} for ${kind}`, () => {
      strictEqual(agentKind(new Headers({ "user-agent": agent })), kind);
    });
  }
}

Deno.test("agentKind() takes a browser that signs its requests for a crawler", () => {
  const signed = { "user-agent": CHROME, "signature-agent": '"https://chatgpt.com"' };
  strictEqual(agentKind(new Headers(signed)), "crawler");
});

Deno.test("crawlerName() is what shows that a client is a crawler, and no more of its headers", () => {
  const name = (headers: HeadersInit) => crawlerName(new Headers(headers));
  strictEqual(
    name({ "user-agent": `${CHROME} (compatible; Googlebot/2.1)` }),
    "compatible; Googlebot/",
  );
  strictEqual(name({ "user-agent": "Wget/1.21 (linux)" }), "Wget");
  strictEqual(name({ "user-agent": "Mozilla/5.0 (X11) Sphinx/9.1" }), "Sphinx/9");
  strictEqual(name({ "user-agent": "Mozilla/5.0 (X11) wkhtmltopdf Safari/5" }), "wkhtmltopdf");
  strictEqual(
    name({ "user-agent": CHROME, "signature-agent": '"https://a.example"' }),
    '"https://a.example"',
  );
  strictEqual(name({ "user-agent": `compatible; ${"x".repeat(900)}/1` })?.length, 60);
});

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 " +
  "(KHTML, like Gecko)";
/** Apps with a browser of their own, which isbot 5.2.3 takes for crawlers by one word. */
const APPS = [
  `${IPHONE} Mobile/15E148 SmartNews/24.5.10`,
  `${CHROME} jp.gocro.smartnews.android/24.5.10`,
  `${CHROME} NewsArticle/8.2.7 tt_webview`,
  `${IPHONE} Mobile/15E148 NewsArticle/8.1.6.39 JsSdk/2.0 NetType/WIFI (News 8.1.6 14.400000)`,
  `${CHROME} SogouMSE,SogouMobileBrowser/5.24.8`,
  `${CHROME} SogouSearch Android1.0 version3.0 AppVersion/5909`,
];
/** Crawlers that run the scripts of pages. */
const RENDERERS = [
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/120.0.6099.71 Safari/537.36",
  `${CHROME} (compatible; Googlebot-News; +http://www.google.com/bot.html)`,
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/112.0.0.0 Safari/537.36",
  `${IPHONE} Version/9.0 Mobile/13B143 Safari/601.1 (compatible; Baiduspider-render/2.0; +http://www.baidu.com/search/spider.html)`,
  "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)",
  CHROME.replace("Chrome", "HeadlessChrome"),
  `${CHROME} Chrome-Lighthouse`,
];
const FROM_PAGE = { "origin": "https://blog.example", "sec-fetch-mode": "cors" };

for (const agent of APPS) {
  Deno.test(`agentKind() takes …${agent.slice(-60)} for a reader only on a page`, () => {
    const kindWith = (headers: HeadersInit) =>
      agentKind(new Headers([...Object.entries(headers), ["user-agent", agent]]));
    strictEqual(kindWith(FROM_PAGE), "reader");
    const { origin } = FROM_PAGE;
    for (const headers of [{}, { origin }, { ...FROM_PAGE, "sec-fetch-mode": "no-cors" }]) {
      strictEqual(kindWith(headers), "crawler");
    }
  });
}

for (const agent of RENDERERS) {
  Deno.test(`agentKind() takes …${agent.slice(-60)} for a crawler on a page, too`, () => {
    strictEqual(agentKind(new Headers({ ...FROM_PAGE, "user-agent": agent })), "crawler");
  });
}
