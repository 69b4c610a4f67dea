import { match, ok, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { Secret } from "../../../src/auth/secret.ts";
import { createLinkCheck, createLinkToken } from "../../../src/auth/signed_token.ts";
import { SECRET } from "../../support/secret.ts";

const secret = new Secret(SECRET);
const START = 1_800_000_000_500;

Deno.test("expiry, nonce, and the HMAC of both", () => {
  const [, expiry, nonce, code] = createLinkToken(secret, START).match(/^l2\.(.+)\.(.+)\.(.+)$/)!;
  strictEqual(expiry, "1800000600500");
  match(nonce ?? "", /^[0-9a-f]{32}$/);
  const hmac = createHmac("sha256", SECRET).update(`link:${expiry}.${nonce}`).digest("base64url");
  strictEqual(code, hmac);
});

Deno.test("a token works once, for ten minutes, and guesses do not use it up", () => {
  const accepts = createLinkCheck(START);
  const [token, late] = [createLinkToken(secret, START), createLinkToken(secret, START)];
  const [form, expiry, nonce, code] = token.split(".");
  for (
    const guess of [
      "",
      token.slice(1),
      `${token}A`,
      [form, expiry, nonce, "A".repeat(43)].join("."),
      [form, Number(expiry) + 1, nonce, code].join("."),
      [form, expiry, `${nonce}0`, code].join("."),
      ["s1", expiry, nonce, code].join("."),
    ]
  ) {
    strictEqual(accepts(guess, secret, START), false, guess);
  }
  const end = Number(expiry);
  strictEqual(accepts(token, secret, end - 1), true);
  strictEqual(accepts(token, secret, end - 1), false);
  strictEqual(accepts(late, secret, end), false);
});

Deno.test("a token from before the start of the server, or of another secret, is refused", () => {
  const accepts = createLinkCheck(START);
  const earlier = createLinkToken(secret, START - 1000);
  ok(createLinkCheck(START - 1000)(earlier, secret, START));
  strictEqual(accepts(earlier, secret, START), false);
  const foreign = createLinkToken(new Secret(`another ${SECRET}`), START);
  strictEqual(accepts(foreign, secret, START), false);
});

Deno.test("a used token stays refused after later ones have been used", () => {
  const accepts = createLinkCheck(START);
  const first = createLinkToken(secret, START);
  ok(accepts(first, secret, START));
  ok(accepts(createLinkToken(secret, START + 599_000), secret, START + 599_000));
  strictEqual(accepts(first, secret, START + 599_000), false);
});

Deno.test("a used token stays refused by a server that starts within the same second", () => {
  const token = createLinkToken(secret, START);
  ok(createLinkCheck(START)(token, secret, START));
  strictEqual(createLinkCheck(START + 1)(token, secret, START + 1), false);
});

Deno.test("a used token stays refused while the clock is set back", () => {
  const accepts = createLinkCheck(START);
  const [token, later] = [START, START + 700_000].map((now) => createLinkToken(secret, now));
  ok(accepts(token ?? "", secret, START));
  // The first one has expired and must not be forgotten.
  ok(accepts(later ?? "", secret, START + 700_000));
  strictEqual(accepts(token ?? "", secret, START + 1000), false, "by the same process");
  const hourBack = START - 3_600_000;
  strictEqual(
    createLinkCheck(hourBack)(token ?? "", secret, hourBack + 1000),
    false,
    "by a new one",
  );
});
