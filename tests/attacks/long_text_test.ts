import { ok } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { sendRaw } from "../support/raw_http.ts";
import { SECRET } from "../support/secret.ts";
import { startService } from "../support/service.ts";
import { routes } from "../support/surface.ts";

/** Milliseconds for all requests of a test, which take a few seconds. */
const LIMIT_MS = 60_000;
/** How often each is sent: where time grows with the square of the length, seconds add up to more than the limit. */
const TIMES = 5;
/** Characters: a head may have 64 KiB, and has a few other headers. */
const LENGTH = 64_000;
/** Characters: longer queries are refused unread. */
const QUERY_LENGTH = 8000;

/** What expressions repeat; the end keeps those from matching that hold for the whole text. */
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

const key = createHmac("sha256", SECRET).update("counter:a").digest().subarray(0, 16)
  .toString("base64url");

for (const header of HEADERS) {
  Deno.test(`${header} of 64 kB holds up nobody, whatever is in it`, async () => {
    const paths = [`/hit?id=a&once=day&key=${key}`, "/hit.svg?key=x", "/badge", "/"];
    const sent = paths.flatMap((path) => TEXTS.map((text) => ({ path, [header]: text })));
    await sendAll(Array.from({ length: TIMES }, () => sent).flat());
  });
}

Deno.test("an Origin or Referer of 64 kB beside the secret holds up nobody, whatever is in it", async () => {
  const shown = { path: "/hit", "x-auth-token": SECRET, "sec-fetch-site": "cross-site" };
  const names = ["origin", "referer"];
  await sendAll(names.flatMap((name) => TEXTS.map((text) => ({ ...shown, [name]: text }))));
});

const parameters = routes.flatMap(({ path, parameters }) =>
  parameters.map(({ name }) => `${path}?${name}=`)
);

Deno.test("a parameter as long as a query may be holds up nobody, whatever is in it", async () => {
  const more = ["/hit?token=", "/hit?key=", "/?x="];
  const starts = [...new Set([...parameters, ...more])];
  const values = TEXTS.filter((text) => text.endsWith("!"))
    .map((text) => encodeURIComponent(text.slice(-QUERY_LENGTH)))
    .map((value) => value.slice(-QUERY_LENGTH).replace(/^[^%]{0,2}(?=%)/, ""));
  await sendAll(
    starts.flatMap((start) =>
      values.map((value) => ({ path: start + value, "x-auth-token": SECRET }))
    ),
  );
});

/** Headers by name, and the path that they go to. */
type Sent = { readonly path: string } & Readonly<Record<string, string>>;

/** Sends one after the other to one process, which has to answer all of them. */
async function sendAll(requests: readonly Sent[]): Promise<void> {
  const env = { SECRET_TOKEN: SECRET, PUBLIC_READS: "1", STORE_URL: "memory:", TRUST_PROXY: "2" };
  await using service = await startService({ env });
  const end = performance.now() + LIMIT_MS;
  for (const { path, ...headers } of requests) {
    const lines = Object.entries({ host: "localhost", ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`);
    const [answer] = await sendRaw(
      { url: service.url, timeout: end - performance.now() },
      `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`,
    );
    ok(answer !== undefined, `${path.slice(0, 50)} ${lines.join().slice(0, 80)} got no answer`);
  }
}
