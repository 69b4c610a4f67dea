import { ok, strictEqual } from "node:assert/strict";
import { Caller } from "../../faults/caller.ts";
import { processorSeconds } from "../../bench/sizes.ts";
import { keyOf, SECRET } from "../../support/secret.ts";
import { type Service, startService } from "../../support/service.ts";
import { routes } from "../../support/surface.ts";

/**
 * Maximum CPU time of a test, in seconds. The tests take 0.1 to 1.4. If the time of an expression
 * grew with the square of the length, each text that it matches would take seconds.
 */
const MAX_CPU_SECONDS = 6;
/** Length of a header value. A head may have 64 KiB, which includes a few other headers. */
const LENGTH = 64_000;
/** Maximum length of a query. Longer ones are refused unread. */
const QUERY_LENGTH = 8000;

/** Texts to repeat. The end prevents a match of expressions that match the whole text. */
const UNITS =
  ': 1: a: ::1 . 1. 1.1.1.1, [ [: [::% , ; x; - _ = / W/ a 1 é " \\ q=0; image/*, camo s1.'
    .split(" ").concat(" ", "a ", "bearer ");
const ENDS = ["", "!"];
const TEXTS = UNITS.flatMap((unit) =>
  ENDS.map((end) => unit.repeat((LENGTH - end.length) / unit.length) + end)
);

const HEADERS = ["accept", "accept-encoding", "authorization", "forwarded", "host", "if-none-match"]
  .concat(["idempotency-key", "purpose", "sec-purpose", "user-agent", "x-auth-token"])
  .concat(["x-forwarded-for", "x-real-ip"]);

const key = keyOf("counter:a");

/** Options for tests that share a process, whose output is read from test to test. */
const shared = { sanitizeOps: false, sanitizeResources: false };

let service: Service;
Deno.test.beforeAll(async () => {
  const env = { SECRET_TOKEN: SECRET, PUBLIC_READS: "1", STORE_URL: "memory:", TRUST_PROXY: "2" };
  service = await startService({ env });
});
Deno.test.afterAll(() => service[Symbol.asyncDispose]());

for (const header of HEADERS) {
  Deno.test(`${header} of 64 kB holds up nobody, whatever is in it`, shared, async () => {
    const paths = [`/hit?id=a&once=day&key=${key}`, "/hit.svg?key=x", "/badge", "/"];
    await sendAll(paths.flatMap((path) => TEXTS.map((text) => ({ path, [header]: text }))));
  });
}

Deno.test(
  "an Origin or Referer of 64 kB beside the secret holds up nobody, whatever is in it",
  shared,
  async () => {
    const shown = { path: "/hit", "x-auth-token": SECRET, "sec-fetch-site": "cross-site" };
    const names = ["origin", "referer"];
    await sendAll(names.flatMap((name) => TEXTS.map((text) => ({ ...shown, [name]: text }))));
  },
);

// A PNG reads its parameters as the SVG does, and takes its time to be drawn.
const parameters = routes.filter(({ path }) => !path.endsWith(".png")).flatMap((
  { path, parameters },
) => parameters.map(({ name }) => `${path}?${name}=`));

Deno.test(
  "a parameter as long as a query may be holds up nobody, whatever is in it",
  shared,
  async () => {
    const more = ["/hit?token=", "/hit?key=", "/?x="];
    const starts = [...new Set([...parameters, ...more])];
    const values = TEXTS.filter((text) => text.endsWith("!"))
      .map((text) => encodeURIComponent(text.slice(-QUERY_LENGTH)))
      .map((value) => value.slice(-QUERY_LENGTH).replace(/^[^%]{0,2}(?=%)/, ""));
    const byName = Map.groupBy(starts, (start) => start.slice(start.indexOf("?")));
    // Endpoints read a parameter in one way, so a third of the values at each of several suffices.
    await sendAll([...byName.values()].flatMap((starts) =>
      starts.flatMap((start, at) => {
        const parts = Math.min(starts.length, 3);
        return values.filter((_, index) => index % parts === at % parts)
          .map((value) => ({ path: start + value, "x-auth-token": SECRET }));
      })
    ));
  },
);

/** Headers by name, and the path that they go to. */
type Sent = { readonly path: string } & Readonly<Record<string, string>>;

/**
 * Sends requests one after the other. Throws if one is not answered, or if they take too much CPU
 * time.
 */
async function sendAll(requests: readonly Sent[]): Promise<void> {
  const start = processorSeconds(service.pid);
  const caller = new Caller();
  for (const { path, ...headers } of requests) {
    const lines = Object.entries({ host: "localhost", ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`);
    const { kind } = await caller.send(
      service.url,
      `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`,
    );
    strictEqual(kind, "answered", `${path.slice(0, 50)} ${lines.join().slice(0, 80)}`);
  }
  caller.close();
  const seconds = processorSeconds(service.pid) - start;
  ok(seconds <= MAX_CPU_SECONDS, `${seconds} s`);
}
