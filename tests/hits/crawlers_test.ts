import { strictEqual } from "node:assert/strict";
import { agentKind } from "../../src/hits/hit_policy.ts";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
  "Chrome/156.0.0.0 Safari/537.36";

const kinds = {
  "reader": [
    CHROME,
    "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:148.0) Gecko/20100101 Firefox/148.0",
    `${CHROME} Camouflage/1.0`,
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
  ],
  "image proxy": [
    "github-camo (876de43e)",
    "Camo Asset Proxy 2.3.0",
    "go-camo",
    "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
  ],
};

for (const [kind, agents] of Object.entries(kinds)) {
  for (const agent of agents) {
    Deno.test(`agentKind() takes ${agent.slice(0, 80) || "nothing"} for ${kind}`, () => {
      strictEqual(agentKind(agent), kind);
    });
  }
}
