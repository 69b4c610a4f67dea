import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sendRaw } from "../support/raw_http.ts";
import { SECRET, SECRET_LINE } from "../support/secret.ts";
import { startService } from "../support/service.ts";

const PREFIX = `POST /hit?once=day HTTP/1.1\r\nHost: localhost\r\n${SECRET_LINE}`;

for (const [proxies, what] of [["0", "the connection"], ["1", "X-Forwarded-For"]] as const) {
  Deno.test(`once=day takes a visitor's address from ${what} where TRUST_PROXY is ${proxies}`, async () => {
    const env = { SECRET_TOKEN: SECRET, STORE_URL: "memory:", TRUST_PROXY: proxies };
    await using service = await startService({ env });
    const visit = async (...forwarded: string[]) => {
      const more = forwarded.map((value) => `X-Forwarded-For: ${value}\r\n`).join("");
      const [answer] = await sendRaw(service, `${PREFIX}${more}\r\n`);
      strictEqual(answer?.status, 200);
      return [JSON.parse(answer.body).hits, answer.headers.get("x-tallymark")];
    };
    if (proxies === "0") {
      deepStrictEqual(await visit(), [1, undefined]);
      deepStrictEqual(await visit(), [1, "repeat"]);
      deepStrictEqual(await visit("203.0.113.7"), [2, undefined]);
      deepStrictEqual(await visit("203.0.113.7"), [3, undefined]);
    } else {
      deepStrictEqual(await visit("203.0.113.7"), [1, undefined]);
      deepStrictEqual(await visit("192.0.2.1", "203.0.113.7"), [1, "repeat"]);
      deepStrictEqual(await visit("203.0.113.7", "192.0.2.1"), [2, undefined]);
      deepStrictEqual(await visit(), [3, undefined]);
    }
  });
}
