import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { field, memoryApp, type TestApp } from "../../support/app.ts";
import { authorized } from "../../support/secret.ts";
import { routes } from "../../support/surface.ts";
import { times } from "../../support/times.ts";

/** The counters of the groups of the keys, which both services hold. */
const MINE = [
  { id: "mine/a", hits: 120, days: { "2026-11-19": 20, "2026-11-20": 7 } },
  { id: "mine/deep/b", hits: 33, days: { "2026-10-01": 33 } },
  { id: "mine/", hits: 5 },
];
/** Counters of other groups, of which each service holds its own. */
const OTHERS = [
  [
    { id: "other/a", hits: 777_111, days: { "2026-11-20": 777 } },
    { id: "mine", hits: 881 },
    { id: "komarev/a", hits: 3 },
    { id: "home", hits: 71 },
  ],
  [
    { id: "other/a", hits: 3, days: { "2025-01-01": 3 } },
    { id: "other/secret-plan", hits: 999 },
    { id: "minex/a", hits: 4 },
  ],
] as const;

const PREFIXES = ["mine/", "mine/deep/", "other/", "minex/", "/", "mine/a", "", "mine/../other/"];
const IDS = [
  ...["mine/a", "mine/deep/b", "mine/", "other/a", "other/secret-plan", "mine", "minex/a", "home"],
  ...["", " mine/a ", "mine/../other/a", "MINE/a", "*", "other/a\u0000", "mine/a&id=other/a"],
];
/** The values of other parameters that change what a response shows. */
const MORE = [
  ...["period=today", "period=30d", "period=bad", "show=today/total", "range=12m", "range=all"],
  ...["kind=total", "kind=area", "limit=100", "limit=0", "from=2025-01-01", "to=2026-11-20"],
  ...["spark=30", "label=", "format=txt", "scale=1", "embed=1", "days=9", "read=other/", "token="],
  ...["goal=9", "base=9", "username=a", "page_id=a"],
];
const HEADERS = [
  {},
  { accept: "image/avif,image/webp,*/*" },
  { accept: "text/html" },
  { "if-none-match": "*" },
  { origin: "https://blog.example" },
];

const paths = [
  ...new Set(
    routes.map(({ path }) => path.replace("/*", path.includes("leancloud") ? "/1.1" : "/komarev")),
  ),
  ...["/as/komarev/ghpvc/", "/as/visitor-badge/badge", "/as/countapi/get/other/a"],
];
/** PNGs take long to draw, and are the SVG images, whose endpoints share everything else. */
const quick = paths.filter((path) => !path.endsWith(".png"));
const slow = paths.filter((path) => path.endsWith(".png"));

/** The parts of a request, whose key is that of `mine/` or `mine/deep/`. */
interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: Record<string, string>;
  readonly isDeep: boolean;
}

const pair = (name: string, values: readonly string[]) =>
  fc.constantFrom(...values).map((value) => `${name}=${encodeURIComponent(value)}`);
const attempts = (paths: readonly string[]): fc.Arbitrary<Attempt> =>
  fc.constantFrom(...paths).chain((path) =>
    fc.record({
      method: fc.constantFrom("GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS"),
      path: fc.constant(path),
      query: fc.tuple(
        fc.array(fc.oneof(pair("id", IDS), pair("prefix", PREFIXES)), { maxLength: 2 }),
        fc.subarray(moreOf(path)).map((parts) => parts.slice(0, 2)),
      ).map((parts) => parts.flat()),
      headers: fc.constantFrom(...HEADERS),
      isDeep: fc.boolean(),
    })
  );

/** Returns the values of the parameters that an endpoint has. With others, most answers are 400. */
function moreOf(path: string): string[] {
  const parameters = routes.filter((route) => route.path === path)
    .flatMap(({ parameters }) => parameters.map(({ name }) => `${name}=`));
  return MORE.filter((one) => parameters.some((name) => one.startsWith(name)));
}

async function startWith(others: typeof OTHERS[number]): Promise<TestApp> {
  const app = await memoryApp({ openReads: false });
  const lines = [...MINE, ...others].map((line) => `${JSON.stringify(line)}\n`).join("");
  strictEqual((await app.sendBody("POST /counters", lines)).status, 200);
  return app;
}

async function readKey(app: TestApp, prefix: string): Promise<string> {
  const { json } = await app.send(`GET /key?read=${prefix}`, authorized);
  return String(field(json, "key"));
}

/** Sends a request and reads all of the response. */
async function send(app: TestApp, { method, path, query, headers }: Attempt) {
  const response = await app.open(`${method} ${path}?${query.join("&")}`, headers);
  // As Latin-1, which keeps every byte.
  const body = new TextDecoder("latin1").decode(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

Deno.test("no byte of a response to a read key depends on a counter outside of its group", async () => {
  await using one = await startWith(OTHERS[0]);
  await using other = await startWith(OTHERS[1]);
  const [key, deepKey] = [await readKey(one, "mine/"), await readKey(one, "mine/deep/")];
  /** The paths that gave numbers to a key. */
  const opened = new Set<string>();
  let different = 0;

  async function compare(attempt: Attempt): Promise<void> {
    const query = [...attempt.query, `key=${attempt.isDeep ? deepKey : key}`];
    // Small PNGs show as much as large ones.
    if (attempt.path.endsWith(".png") && !query.includes("scale=1")) query.push("scale=1");
    const [first, second] = await Promise.all([one, other].map((app) => {
      return send(app, { ...attempt, query });
    }));
    deepStrictEqual(first, second);
    if (first?.status === 200) opened.add(attempt.path);
    // The owner's response shows that the request could have told the services apart.
    const headers = { ...attempt.headers, ...authorized };
    const { path, method, query: { length } } = attempt;
    if (path.endsWith(".png") || length > 1 || !["GET", "HEAD"].includes(method)) return;
    const [ownFirst, ownSecond] = await Promise.all([one, other].map((app) => {
      return send(app, { ...attempt, headers });
    }));
    if (ownFirst?.body !== ownSecond?.body) different++;
  }

  for (const path of paths) {
    const base = { method: "GET", path, headers: {}, isDeep: false };
    for (const query of [["id=mine/a"], ["prefix=mine/"], ["id=mine/a", "id=other/a"]]) {
      await compare({ ...base, query });
    }
    if (slow.includes(path)) continue;
    for (const query of [["id=other/a"], ["prefix=mine/deep/"], ["prefix=other/"]]) {
      await compare({ ...base, query });
    }
    for (const one of moreOf(path)) {
      for (const subject of ["id=other/a", "prefix=other/"]) {
        await compare({ ...base, query: [subject, one] });
      }
    }
  }
  await fc.assert(fc.asyncProperty(attempts(quick), compare), { numRuns: times(100, 1500) });
  await fc.assert(fc.asyncProperty(attempts(slow), compare), { numRuns: times(3, 60) });
  const protectedReads = routes.filter(({ access }) =>
    ["reader", "viewer", "lister"].includes(access)
  );
  deepStrictEqual(
    protectedReads.map(({ path }) => path).filter((path) => !opened.has(path)),
    [],
  );
  ok(different > 25, `only ${different} requests could tell the services apart`);
});

Deno.test("no request with a read key changes a counter", async () => {
  await using app = await startWith(OTHERS[0]);
  const list = async () => (await app.send("GET /counters", authorized)).body;
  const before = await list();
  const key = await readKey(app, "mine/");
  for (const path of quick) {
    for (const method of ["GET", "POST", "PUT", "DELETE"]) {
      for (const subject of ["id=mine/a", "prefix=mine/"]) {
        const attempt = {
          method,
          path,
          query: [subject, `key=${key}`],
          headers: {},
          isDeep: false,
        };
        await send(app, attempt);
      }
    }
  }
  strictEqual(await list(), before);
  match(before, /"mine\/a"/);
});
