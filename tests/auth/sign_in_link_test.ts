import { match, ok, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { openSecret } from "../../src/auth/secret.ts";
import { createLinkToken, SignInLinks } from "../../src/auth/sign_in_link.ts";
import { SECRET } from "../support/secret.ts";

const secret = await openSecret(SECRET);
/** In the middle of a second, because tokens know whole seconds only. */
const START = 1_800_000_000_500;

Deno.test("createLinkToken: expiry, nonce, and the HMAC of both", () => {
  const [, expiry, nonce, code] = createLinkToken(secret, START).match(/^l1\.(.+)\.(.+)\.(.+)$/)!;
  strictEqual(expiry, "1800000600");
  match(nonce ?? "", /^[0-9a-f]{32}$/);
  const hmac = createHmac("sha256", SECRET).update(`link:${expiry}.${nonce}`).digest("base64url");
  strictEqual(code, hmac);
});

Deno.test("SignInLinks: a token works once, for ten minutes, and guesses do not use it up", () => {
  const links = new SignInLinks(START);
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
    strictEqual(links.use(guess, secret, START), false, guess);
  }
  const end = Number(expiry) * 1000;
  strictEqual(links.use(token, secret, end - 1), true);
  strictEqual(links.use(token, secret, end - 1), false);
  strictEqual(links.use(late, secret, end), false);
});

Deno.test("SignInLinks: a token from before the start of the server, or of another secret, is refused", async () => {
  const links = new SignInLinks(START);
  const earlier = createLinkToken(secret, START - 1000);
  ok(new SignInLinks(START - 1000).use(earlier, secret, START));
  strictEqual(links.use(earlier, secret, START), false);
  const foreign = createLinkToken(await openSecret(`another ${SECRET}`), START);
  strictEqual(links.use(foreign, secret, START), false);
});

Deno.test("SignInLinks: a used token stays refused after later ones have been used", () => {
  const links = new SignInLinks(START);
  const first = createLinkToken(secret, START);
  ok(links.use(first, secret, START));
  ok(links.use(createLinkToken(secret, START + 599_000), secret, START + 599_000));
  strictEqual(links.use(first, secret, START + 599_000), false);
});
