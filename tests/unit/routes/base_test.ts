import { strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { memoryApp, type TestApp } from "../../support/app.ts";
import { parseSvg } from "../../support/parse_svg.ts";
import { authorized } from "../../support/secret.ts";

const DAY = "2026-11-24";
const calendar = createCalendar("UTC", () => Date.parse(`${DAY}T12:00:00Z`));

/** A counter of this id with 1 hit today and 41 hits in total. */
async function open(id: string): Promise<TestApp> {
  const app = await memoryApp({ calendar, serveAs: "komarev/,hits.sh/,seeyoufarm/" });
  const days = { [DAY]: 1, "2026-11-23": 2 };
  await app.sendBody("POST /counters", JSON.stringify({ id, hits: 41, days }));
  return app;
}

const rows: [line: string, id: string, message: string][] = [
  ["/badge?id=a&base=100", "a", "141"],
  ["/badge?id=a&base=100&period=today", "a", "101"],
  ["/badge?id=a&base=100&show=today/total", "a", "1 / 141"],
  ["/badge?id=a&base=100&show=today/total&numbers=grouped&base=5000", "a", "bad query"],
  ["/badge?id=a&base=9000&show=today/total&numbers=grouped", "a", "1 / 9,041"],
  ["/badge?id=a&base=9007199254740991&show=today/total", "a", "1 / 9007199254740991"],
  ["/badge?id=a&base=1%202&show=today/total", "a", "1 / 41"],
  ["/badge?id=a&base=-1&show=today/total", "a", "1 / 41"],
  ["/badge?id=a&base=100&show=today/total&spark=7", "a", "1 / 141"],
  ["/hit.svg?id=a&base=100", "a", "142"],
  ["/hit.svg?id=a&base=100&show=today/total", "a", "2 / 142"],
  ["/as/komarev/ghpvc/?username=octocat&base=100", "komarev/octocat", "142"],
  ["/as/komarev/ghpvc/?username=octocat&base=9000", "komarev/octocat", "9,042"],
  ["/as/komarev/ghpvc/?username=octocat&base=100&base=5", "komarev/octocat", "142"],
  ["/as/komarev/ghpvc/?username=octocat&base=5&amp;base=100", "komarev/octocat", "47"],
  ["/as/komarev/ghpvc/?username=octocat&base=1%202", "komarev/octocat", "42"],
  ["/as/komarev/ghpvc/?username=octocat&base=1,2", "komarev/octocat", "42"],
  ["/as/komarev/ghpvc/?username=octocat&base=%20100%20", "komarev/octocat", "142"],
  ["/as/hits.sh/a.b/c.svg?extraCount=100", "hits.sh/a.b/c", "142"],
  ["/as/hits.sh/a.b/c.svg?extraCount=100&view=today-total", "hits.sh/a.b/c", "2 / 142"],
];

for (const [line, id, message] of rows) {
  Deno.test(`GET ${line} shows ${message} of 41 hits, 1 of them today`, async () => {
    await using app = await open(id);
    const headers = line.startsWith("/hit.svg") ? authorized : { "user-agent": READER };
    const { body } = await app.send(`GET ${line}`, headers);
    const title = parseSvg(body).find(({ name }) => name === "title")?.text ?? "";
    strictEqual(title.split(": ").at(-1), message);
  });
}

const READER = "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0";
