import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { sendRaw } from "../../support/raw_http.ts";
import { runService, startService } from "../../support/service.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { startTarget, STORES } from "./target.ts";
import { bytesOf } from "./wire.ts";
import { authorized, SECRET } from "../../support/secret.ts";

/** Accepted spellings, as they are sent, by the counter that each names. */
const SPELLINGS: Record<string, string[]> = {
  "home": [
    "/hit",
    "/hit?",
    "/hit?id",
    "/hit?id=",
    "/hit?id=+",
    "/hit?id=%20%0a%e2%80%83",
    "/hit?id=home",
  ],
  "a": [
    "/hit?id=a",
    "/hit?id=%61",
    "/hit?%69d=a",
    "/hit?id=+a+",
    "/hit?id=%0d%0aa%09",
    "/hit?id=a#b",
    "/%68it?id=a",
  ],
  "A": ["/hit?id=A"],
  "é": ["/hit?id=%C3%A9", "/hit?id=e%CC%81", "/hit?id=\xc3\xa9", "/hit?id=%c3%a9"],
  "Å": ["/hit?id=%E2%84%AB", "/hit?id=A%CC%8A", "/hit?id=%C3%85"],
  "ﬁ": ["/hit?id=%EF%AC%81"],
  "fi": ["/hit?id=fi"],
  "a b": ["/hit?id=a+b", "/hit?id=a%20b"],
  "a+b": ["/hit?id=a%2Bb"],
  "a  b": ["/hit?id=a++b"],
  "%ff": ["/hit?id=%25ff"],
  "%FF": ["/hit?id=%25FF"],
  "%": ["/hit?id=%25"],
  "%25": ["/hit?id=%2525"],
  "�": ["/hit?id=%EF%BF%BD"],
  "a&b": ["/hit?id=a%26b"],
  "a=b": ["/hit?id=a=b", "/hit?id=a%3Db"],
  "a#b": ["/hit?id=a%23b"],
  "\\": ["/hit?id=\\", "/hit?id=%5c"],
  ...Object.fromEntries(
    [
      ...["__proto__", "constructor", "hasOwnProperty", "null", "undefined", "0", "-1", "*", "?"],
      ...[
        "hits:",
        "hits:a",
        ":a",
        "a:b",
        "a:",
        "::",
        "[a]",
        "{a}b",
        "a{b}",
        '["hits:","a"]',
        "tallymark",
      ],
      ...[
        "../a",
        "./a",
        "a/",
        "/a",
        "user/repo",
        "https://x/y",
        "INCR a",
        "'; DROP TABLE kv; --",
        "日本",
      ],
    ].map((id) => [id, [`/hit?id=${encodeURIComponent(id)}`]]),
  ),
};

/** Ids that are refused because the server or a reader could mistake them for another. */
const REFUSED = [
  ...[
    "%ff",
    "%FF",
    "%80",
    "%c0%af",
    "%c1%a1",
    "%e0%80%af",
    "%f8%88%80%80%80",
    "%ed%a0%80",
    "%ed%a0%bd%ed%b1%8d",
  ],
  ...["%", "%6", "%zz", "%u0061", "a%"],
  ...["%00", "a%00", "%00a", "a%00b", "a%0db", "a%0ab", "%1b[31m", "%7f", "%c2%80", "%c2%ad"],
  ...[
    "a%e2%80%ae",
    "%e2%80%aaa",
    "a%e2%81%a6b",
    "%e2%80%8ea",
    "%e2%80%8ba",
    "a%e2%80%8db",
    "%ef%bb%bfa%ef%bb%bfb",
  ],
  ...["%ee%80%80", "%f3%b0%80%80", "%ef%bf%be", "%cd%b8", "%f3%a0%81%81"],
  ...["a&id=a", "a&id=b", "&%69d=", "a".repeat(201), "%C3%A9".repeat(101)],
];

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
