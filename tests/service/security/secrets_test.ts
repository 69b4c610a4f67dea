import { ok, strictEqual, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { parseConfig } from "../../../src/start/config.ts";
import { ConfigError, explainFailure } from "../../../src/start/settings.ts";
import { reservePort } from "../../support/reserved_port.ts";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import { type RawAnswer, sendRaw } from "../../support/raw_http.ts";
import { runService, startService } from "../../support/service.ts";
import { settleAll } from "../../support/settle.ts";
import { fullNumbers } from "../../support/time_limit.ts";
import { keyOf, SECRET } from "../../support/secret.ts";

/** A password that no URL can hold as it is. */
const PASSWORD = "p@ss:w/ö?r#d %41&+=";
const ENCODED = encodeURIComponent(PASSWORD);
const KEY = keyOf("counter:a");
/** Sent in queries and headers, none of which may reach the log. */
const CANARY = "canary-0123456789";

const ROUTES = [
  ...["/hit", "/hit.svg", "/count", "/count.txt", "/badge", "/badge.json", "/nothing"],
  ...["/openapi.json", "/healthz", "/readyz", "/"],
];

const QUERIES = [
  "",
  `&token=${SECRET}`,
  `&token=wrong-${CANARY}`,
  `&key=${KEY}`,
  `&key=${keyOf("counter:b")}`,
  `&token=${SECRET}&token=${SECRET}`,
  `&token=${SECRET}%ff`,
  `&x=${CANARY}%ff&token=${SECRET}`,
  `&token=${SECRET}&id=${CANARY}`,
];

const HEADERS = [
  "",
  `X-Auth-Token: ${SECRET}\r\n`,
  `X-Auth-Token: wrong-${CANARY}\r\n`,
  `Authorization: Bearer ${SECRET}\r\n`,
  `Authorization: Basic ${btoa(`${CANARY}:${SECRET}`)}\r\n`,
  `X-Auth-Token: ${SECRET}\r\nX-Auth-Token: ${SECRET}\r\n`,
  `Cookie: token=${SECRET}\r\n`,
];

/**
 * Returns each query with each set of headers where they are looked at most, and with the full
 * numbers everywhere. Elsewhere one of them is plain, and of a closed store always the headers.
 */
function everySending(route: string, isOpen: boolean): [query: string, header: string][] {
  return QUERIES.flatMap((query) => HEADERS.map((header): [string, string] => [query, header]))
    .filter(([query, header]) =>
      fullNumbers || route === "/hit" || isOpen && (header === "" || query === "") ||
      header === "" && query.includes(CANARY)
    );
}

/** Everything a caller may send, and what came back, whole. */
async function stress(url: string, isOpen: boolean): Promise<string> {
  const lines = ROUTES.flatMap((route) =>
    everySending(route, isOpen).map(([query, header]) =>
      `GET ${route}?id=a${query} HTTP/1.1\r\nHost: a\r\n${header}\r\n`
    )
  );
  lines.push(
    ...HEADERS.map((header) => `HIT /hit?token=${SECRET} HTTP/1.1\r\nHost: a b\r\n${header}\r\n`),
    ...HEADERS.map((header) => `POST /count HTTP/1.1\r\nHost: ${SECRET}@a\r\n${header}\r\n`),
  );
  const answers = await sendRaw({ url, answers: lines.length }, lines.join(""));
  strictEqual(answers.length, lines.length, "every request is answered");
  const broken = await sendRaw({ url }, `GET /hit?token=${SECRET}\r\n bad: ${SECRET}\r\n\r\n`);
  // Most are alike, and each is searched for many writings.
  return [...new Set([...answers, ...broken].map(textOf).flatMap((text) => text.split("\n")))]
    .join("\n");
}

/** Fails where a text holds one of these, as it is or in any usual writing. */
function refuseFinds(text: string, secrets: readonly string[], where: string): void {
  for (const secret of secrets) {
    const bytes = Buffer.from(secret);
    const writings = [
      secret,
      encodeURIComponent(secret),
      encodeURI(secret),
      encodeURIComponent(secret).replaceAll("%20", "+"),
      JSON.stringify(secret).slice(1, -1),
      bytes.toString("latin1"),
      bytes.toString("base64").replace(/=+$/, ""),
      bytes.toString("base64url"),
      bytes.toString("hex"),
    ];
    for (const writing of writings) {
      const at = text.indexOf(writing);
      strictEqual(at, -1, `${where}: ${text.slice(Math.max(0, at - 200), at + 100)}`);
    }
  }
}

const secrets = [SECRET, KEY, keyOf("counter:b"), PASSWORD];

Deno.test(
  "nothing that a service prints or answers holds the secret, a key, a password or a query",
  needsRedis,
  async () => {
    await using redis = await startRedis({ password: PASSWORD });
    const address = `127.0.0.1:${redis.port}`;
    const stores: Record<string, Record<string, string>> = {
      "a Deno KV file": {},
      "Redis": { STORE_URL: redis.url },
      "a wrong password": { STORE_URL: `redis://:${ENCODED}x@${address}` },
      "no Redis there": { STORE_URL: `redis://default:${ENCODED}@127.0.0.1:${reservePort()}` },
      // Speaks TLS, which there is none of.
      "a hosted store": { HOSTED_STORE_URL: `https://${address}`, HOSTED_STORE_PASSWORD: PASSWORD },
      "a remote KV that is away": {
        STORE_URL: `kv:http://user:${ENCODED}@127.0.0.1:${reservePort()}/?x=${CANARY}`,
        DENO_KV_ACCESS_TOKEN: CANARY,
      },
    };
    await settleAll(
      Object.entries(stores).map(async ([store, env]) => {
        await using service = await startService({ env: { SECRET_TOKEN: SECRET, ...env } });
        const open = ["a Deno KV file", "Redis"].includes(store);
        if (!open) await service.waitForOutput(/store unavailable/);
        if (store === "Redis") await service.storeReady();
        const answers = await stress(service.url, open);
        const { stdout, stderr, code } = await service.stop();
        strictEqual(code, 0, stderr);
        refuseFinds(`${stdout}\n${stderr}\n${answers}`, secrets, store);
        refuseFinds(`${stdout}\n${stderr}`, [CANARY], store);
        ok(answers.includes(open ? '"hits":' : "Store unavailable"), `${store} was tried`);
      }),
    );
  },
);

Deno.test("a start that fails prints neither secret nor password", needsRedis, async () => {
  const settings: Record<string, string>[] = [
    // config_test has other settings that no service can start with.
    { STORE_URL: `redis://:${PASSWORD}@127.0.0.1:6379` },
    { STORE_URL: `kv:https://u:${ENCODED}@h:bad`, DENO_KV_ACCESS_TOKEN: PASSWORD },
    { PORT: PASSWORD, HOST: PASSWORD, FAIL_FAST_STORE: PASSWORD, PUBLIC_READS: PASSWORD },
  ];
  for (const env of settings) {
    throws(() => parseConfig({ SECRET_TOKEN: SECRET, ...env }), (error) => {
      // A start prints this.
      const text = explainFailure("Tallymark cannot start", error);
      refuseFinds(text, [SECRET, PASSWORD], JSON.stringify(env));
      return error instanceof ConfigError;
    });
  }
  await using redis = await startRedis({ password: PASSWORD });
  const STORE_URL = `redis://:${ENCODED}x@127.0.0.1:${redis.port}`;
  const env = { SECRET_TOKEN: SECRET, STORE_URL, FAIL_FAST_STORE: "1" };
  const { code, stdout, stderr } = await runService({ env });
  strictEqual(code, 1);
  ok(stderr.includes("cannot start"), stderr);
  refuseFinds(stdout + stderr, [SECRET, PASSWORD], "a wrong password");
});

function textOf({ status, headers, body }: RawAnswer): string {
  return [status, ...[...headers].map(([name, value]) => `${name}: ${value}`), body].join("\n");
}
