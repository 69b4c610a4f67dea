import { match, ok, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { field, memoryApp } from "../../support/app.ts";
import { authorized, SECRET } from "../../support/secret.ts";

const TWELVE_HOURS = 12 * 3_600_000;

Deno.test("POST /session begins a session of 12 hours, for whoever has the secret", async () => {
  await using app = await memoryApp();
  const { status, headers, json } = await app.send("POST /session", authorized);
  strictEqual(status, 200);
  strictEqual(headers["cache-control"], "no-store");
  strictEqual(headers["access-control-allow-origin"], undefined);
  const left = Date.parse(String(field(json, "expires"))) - Date.now();
  ok(left <= TWELVE_HOURS && left > TWELVE_HOURS - 600_000);
  match(String(field(json, "token")), /^s1\.\d+\.[\w-]{43}$/);
});

Deno.test("a session that has ended, was begun with another secret or was changed opens nothing", async () => {
  await using app = await memoryApp();
  const now = Math.floor(Date.now() / 1000);
  strictEqual((await app.send("GET /key", bearing(tokenOf(SECRET, now + 60)))).status, 200);
  const [form, end, code = ""] = tokenOf(SECRET, now + 60).split(".");
  const tokens = [
    tokenOf(SECRET, now - 1),
    tokenOf(`${SECRET}!`, now + 60),
    `${form}.${Number(end) + 1}.${code}`,
    `${form}.${end}.${code.slice(0, -1)}`,
    `${form}.0${end}.${code}`,
    `s2.${end}.${code}`,
    `s1..${code}`,
    `s1.${end}.`,
    code,
  ];
  for (const token of tokens) {
    strictEqual((await app.send("GET /key", bearing(token))).status, 401, token);
  }
});

Deno.test("POST /session is refused without the secret, and where it is short or missing", async () => {
  await using app = await memoryApp();
  strictEqual((await app.send("POST /session")).status, 401);
  strictEqual((await app.send("POST /session", { "x-auth-token": `${SECRET}!` })).status, 401);
  const secret = "only-15-letters";
  await using short = await memoryApp({ secret });
  const refused = await short.send("POST /session", { "x-auth-token": secret });
  strictEqual(refused.status, 401);
  match(refused.body, /Sessions are off/);
  const token = tokenOf(secret, Math.floor(Date.now() / 1000) + 60);
  strictEqual((await short.send("GET /key", bearing(token))).status, 401);
  await using none = await memoryApp({ secret: undefined });
  strictEqual((await none.send("POST /session", authorized)).status, 401);
});

function bearing(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** A token as the contract says it is made. */
function tokenOf(secret: string, end: number): string {
  const code = createHmac("sha256", secret).update(`session:${end}`).digest("base64url");
  return `s1.${end}.${code}`;
}
