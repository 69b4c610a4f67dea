import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { sendRaw } from "../../support/raw_http.ts";
import { runService, startService } from "../../support/service.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { startTarget, STORES } from "./target.ts";
import { bytesOf } from "./wire.ts";
import { authorized, SECRET } from "../../support/secret.ts";

/** Accepted spellings, as they are sent, by the counter that each names. */
const SPELLINGS: Record<string, string[]> = {
  "home": ["/hit", "/hit?id=%20%0a%e2%80%83"],
  "a": ["/hit?id=%61", "/hit?%69d=a", "/hit?id=a#b", "/%68it?id=a"],
  "é": ["/hit?id=e%CC%81", "/hit?id=\xc3\xa9"],
  "�": ["/hit?id=%EF%BF%BD"],
  "__proto__": ["/hit?id=__proto__"],
  "tallymark": ["/hit?id=tallymark"],
  '["hits:","a"]': ["/hit?id=%5B%22hits:%22,%22a%22]"],
  "{a}b": ["/hit?id={a}b"],
};

/** Refused ids. counter_id_test and query_test have all kinds. */
const REFUSED = ["%ff", "%00", "%e0%80%af", "a&id=a", "a".repeat(201)];

for (const { store, options } of STORES) {
  Deno.test(
    `two spellings of an id share a counter on ${store} only where trimming and NFC make them one`,
    options,
    async () => {
      await using target = await startTarget(store);
      const answerTo = async (path: string) => {
        const request = `POST ${path} HTTP/1.1\r\nHost: a\r\nX-Auth-Token: ${SECRET}\r\n\r\n`;
        const [answer] = await sendRaw({ url: target.url }, new Uint8Array(bytesOf(request)));
        return answer ?? { status: 0, body: "" };
      };
      for (const [id, spellings] of Object.entries(SPELLINGS)) {
        for (const [index, path] of spellings.entries()) {
          const { status, body } = await answerTo(path);
          strictEqual(status, 200, path);
          const { hits, ...rest } = JSON.parse(body);
          deepStrictEqual({ id: rest.id, hits }, { id, hits: index + 1 }, path);
        }
      }
      for (const id of REFUSED) {
        for (const path of ["/hit", "/hit.svg"]) {
          strictEqual((await answerTo(`${path}?id=${id}`)).status, path === "/hit" ? 400 : 405, id);
          strictEqual((await answerTo(`/hit?label=x&id=${id}`)).status, 400, id);
        }
      }
      // The server itself refuses a target that is not UTF-8.
      strictEqual((await answerTo("/hit?id=\xff")).status, 400);
      const counters = Object.entries(SPELLINGS).map(([id, { length }]) => [id, length] as const);
      deepStrictEqual(await target.end(), { counters: new Map(counters), others: [] });
    },
  );
}

Deno.test("a service with another prefix on one Deno KV file has counters of its own, whatever the ids", async () => {
  await using folder = await tempDir();
  const hit = async (prefix: string, id: string) => {
    const env = { SECRET_TOKEN: SECRET, STORE_PREFIX: prefix };
    await using service = await startService({ cwd: folder.path, env });
    const url = `${service.url}/hit?id=${encodeURIComponent(id)}`;
    const { hits } = await (await fetch(url, { headers: authorized })).json();
    await service.stop();
    return hits;
  };
  for (const [prefix, id] of [["hits:", "xa"], ["hits:x", "a"], ["hits", ":xa"], ["h", "its:xa"]]) {
    strictEqual(await hit(prefix ?? "", id ?? ""), 1, prefix);
  }
});

for (const [prefix, beside] of [["{hits}:", "hits:{all}:"], ["tallymark:", "hits:"]] as const) {
  Deno.test(`a prefix whose counters could be taken for entries of the service ends the start: ${prefix}`, async () => {
    const { code, stderr } = await runService({ env: { STORE_PREFIX: prefix } });
    strictEqual(code, 1);
    match(
      stderr,
      /STORE_PREFIX must not begin with \{ or tallymark, as the service's own keys do .*use hits:\{all\}:/,
    );
    await using service = await startService({ env: { STORE_PREFIX: beside } });
    strictEqual(await (await fetch(`${service.url}/count.txt`)).text(), "0");
  });
}
