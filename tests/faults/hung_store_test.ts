import { deepStrictEqual, ok } from "node:assert/strict";
import { startKvConnect } from "../support/kv_connect.ts";
import { type LocalService, startLocalService } from "../support/local_service.ts";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { SECRET } from "../support/secret.ts";
import { routes } from "../support/surface.ts";
import { fullNumbers, timeLimit } from "../support/time_limit.ts";
import { waitFor } from "../support/wait_for.ts";

/** A store of a test, which hangs and goes on. */
interface HangingStore extends AsyncDisposable {
  readonly env: Record<string, string>;
  hang(): Promise<unknown> | void;
  resume(): Promise<unknown> | void;
}

const STORES: {
  name: string;
  ignore?: boolean;
  /** The requests that are sent. */
  asked: RegExp;
  start(): Promise<HangingStore>;
}[] = [
  {
    name: "endpoint answers with 503 or 504 within 2 s on Redis stopped with SIGSTOP",
    asked: /^/,
    ...needsRedis,
    async start() {
      const redis = await startRedis();
      return {
        env: { STORE_URL: redis.url },
        hang: () => redis.kill("SIGSTOP"),
        resume: () => redis.kill("SIGCONT"),
        [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
      };
    },
  },
  {
    // Every PNG is drawn from the SVG of its name, whatever the store is.
    name:
      "endpoint but those of PNGs answers with 503 or 504 within 2 s on a self-hosted Deno KV that never replies",
    asked: /^(?!.*\.png)/,
    start() {
      const server = startKvConnect();
      return Promise.resolve({
        env: { STORE_URL: `kv:${server.url}`, DENO_KV_ACCESS_TOKEN: server.token },
        hang: () => server.hang(),
        resume: () => server.resume(),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      });
    },
  },
];

/**
 * The endpoints that ask no store, and so answer as ever. All others, also new ones, have to say
 * that the store hangs.
 */
const STORELESS =
  /^\/(?:key|decisions|status|session|tally\.js|like\.js|top\.js|data\.js|api|openapi\.json|metrics|healthz|p|sample\/.*)?$/;

/** Parameters that have an endpoint ask the store for something else. */
const VARIANTS: Readonly<Record<string, string>> = {
  once: "once=day",
  period: "period=7d",
  show: "show=today/total",
  spark: "spark=7",
  dry: "dry=1",
};

/** Addresses of other counters that SERVE_AS opens. Those of LeanCloud call the same endpoints. */
const OTHER_ADDRESSES = [
  "GET /as/komarev/ghpvc/?username=octocat",
  "GET /as/countapi/hit/site/page",
  "GET /as/busuanzi/busuanzi?jsonpCallback=show",
];

/** Endpoints without requests of the same form. /go redirects whatever the store does. */
const ELSEWHERE = /^\/(?:as\/.*|go|counters\/move)$/;

/** A request as "METHOD /path?query". */
const REQUESTS = [
  ...OTHER_ADDRESSES,
  ...routes.filter(({ path }) => !ELSEWHERE.test(path)).flatMap(
    ({ path, methods, parameters }) => {
      const names = new Set<string>(parameters.map(({ name }) => name));
      const subjects = [
        ...names.has("id") ? [`id=hung${path}`] : [],
        ...names.has("prefix") ? ["prefix=hung/"] : [],
      ];
      const variants = Object.keys(VARIANTS).filter((name) => names.has(name));
      const queries = (subjects.length > 0 ? subjects : [""]).flatMap((subject) => [
        subject,
        ...variants.map((name) => `${subject}&${VARIANTS[name]}`),
      ]);
      return methods.filter((method) => method !== "OPTIONS").flatMap((method) =>
        queries.map((query) => `${method} ${path}?${query}`)
      );
    },
  ),
  "GET /counters?",
  "POST /counters/move?from=hung/hit&to=hung/moved",
].filter((line) => !/^(?:PUT|DELETE) \/counters\?prefix/.test(line));

/** Number of requests that are sent at once. All 200 take 0.1 to 0.4 s to arrive. */
const AT_ONCE = fullNumbers ? 30 : 1000;
/** Two seconds and some slack. */
const LIMIT_MS = 2200;
/** PNGs of errors are drawn one at a time, with pauses, and these are 14. */
const PNG_LIMIT_MS = 6000;

const BODIES: Readonly<Record<string, string>> = {
  "PUT /counters": '{"hits":1}',
  "POST /counters": '{"id":"hung","hits":1}',
};

for (const { name, ignore = false, asked, start } of STORES) {
  Deno.test({
    name: `every ${name}, and all of them recover`,
    ignore,
    async fn() {
      const requests = REQUESTS.filter((line) => asked.test(line));
      await using store = await start();
      await using service = await startLocalService({
        SECRET_TOKEN: SECRET,
        SERVE_AS: "komarev/,countapi/,busuanzi/blog.example/",
        ...store.env,
      });
      await service.storeReady();
      await store.hang();
      try {
        // The second time the store is known to hang.
        for (let time = 0; time < 2; time++) {
          const answers: Awaited<ReturnType<typeof send>>[] = [];
          for (let start = 0; start < requests.length; start += AT_ONCE) {
            const lines = requests.slice(start, start + AT_ONCE);
            answers.push(...await Promise.all(lines.map((line) => send(service, line))));
          }
          const wrong = answers.filter(({ line, status }) => {
            const isExpected = status === 503 || status === 504;
            return isExpected === STORELESS.test(pathOf(line));
          });
          deepStrictEqual(wrong, []);
          const slow = answers.filter(({ line, milliseconds }) =>
            milliseconds > timeLimit(pathOf(line).endsWith(".png") ? PNG_LIMIT_MS : LIMIT_MS)
          );
          deepStrictEqual(slow, []);
        }
      } finally {
        await store.resume();
      }
      for (const line of requests) {
        await waitFor(line, async () => {
          const { status } = await send(service, line);
          return status < 400 || undefined;
        });
      }
    },
  });
}

Deno.test("the requests to a hung store are those of every endpoint", () => {
  for (const { path } of routes) {
    // It asks for a key in a header, and then calls the endpoints that are here.
    if (path === "/as/leancloud/*" || path === "/go") continue;
    ok(REQUESTS.some((line) => pathOf(line).startsWith(path.replace("*", ""))), path);
  }
});

function pathOf(line: string): string {
  return line.split(/[ ?]/)[1] ?? "";
}

async function send({ url }: LocalService, line: string) {
  const [method = "", target = ""] = line.split(" ");
  const isOther = target.startsWith("/as/");
  const began = performance.now();
  const { status, body } = await fetch(url + target, {
    method,
    headers: isOther
      ? { referer: "https://blog.example/post", "user-agent": "Mozilla/5.0" }
      : { authorization: `Bearer ${SECRET}` },
    body: BODIES[`${method} ${pathOf(line)}`] ?? null,
    signal: AbortSignal.timeout(timeLimit(15_000)),
  });
  await body?.cancel();
  return { line, status, milliseconds: performance.now() - began };
}
