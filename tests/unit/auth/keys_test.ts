import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { parseKeyVersions } from "../../../src/auth/keys.ts";
import { field, memoryApp, type TestApp } from "../../support/app.ts";
import { authorized, keyOf } from "../../support/secret.ts";

const EARLIER = "earlier-secret-0123456789";

async function keyFrom(app: TestApp, query: string) {
  return (await app.send(`GET /key?${query}`, authorized)).json;
}

async function hitBy(app: TestApp, id: string, key: string): Promise<number> {
  return (await app.send(`POST /hit?id=${id}&key=${key}`)).status;
}

// --- Versions ------------------------------------------------------------------------------------

Deno.test("KEY_VERSIONS takes back the keys of exactly what it names", async () => {
  await using app = await memoryApp({ keyVersions: "blog/=2,user/repo=3" });
  deepStrictEqual(await keyFrom(app, "prefix=blog/"), {
    prefix: "blog/",
    key: keyOf("prefix.2:blog/"),
    version: 2,
  });
  deepStrictEqual(await keyFrom(app, "read=blog/"), {
    read: "blog/",
    key: keyOf("read.2:blog/"),
    version: 2,
  });
  deepStrictEqual(await keyFrom(app, "id=user/repo"), {
    id: "user/repo",
    key: keyOf("counter.3:user/repo"),
    version: 3,
  });
  deepStrictEqual(await keyFrom(app, "id=blog/a"), { id: "blog/a", key: keyOf("counter:blog/a") });
  strictEqual(await hitBy(app, "blog/a", keyOf("prefix:blog/")), 401);
  strictEqual(await hitBy(app, "blog/a", keyOf("prefix.2:blog/")), 200);
  strictEqual(await hitBy(app, "blog/a", keyOf("counter:blog/a")), 200, "its own key stays");
  strictEqual(await hitBy(app, "blog/b/c", keyOf("prefix:blog/b/")), 200, "so does a deeper one");
  for (const version of ["", ".1", ".2", ".4"]) {
    strictEqual(await hitBy(app, "user/repo", keyOf(`counter${version}:user/repo`)), 401);
  }
});

Deno.test("parseKeyVersions() normalizes names as ids, and refuses what it cannot mean", () => {
  deepStrictEqual([...parseKeyVersions(" cafe\u0301/=2 , a=b=3,c=1")], [
    ["café/", 2],
    ["a=b", 3],
    ["c", 1],
  ]);
  deepStrictEqual([...parseKeyVersions("")], []);
  const refused = ["a", "a=", "a=0", "a=01", "a=1.5", "a=-1", "a=10000", "=2", " =2", "\u200b=2"];
  for (const text of [...refused, "a=2,", "a=2,a=3"]) {
    const names = /must list counters or prefixes.*blog\/=2,user\/repo=3 \(see entry \d/;
    throws(() => parseKeyVersions(text), names, text);
  }
  throws(() => parseKeyVersions("a=2,hidden"), (error) => !String(error).includes("hidden"));
});

// --- Earlier secrets -----------------------------------------------------------------------------

Deno.test("keys of an earlier secret count on, and /metrics and /decisions show them", async () => {
  await using app = await memoryApp({ fallbacks: ["x".repeat(16), EARLIER], openReads: false });
  const uses = async () =>
    /^tallymark_earlier_keys_total (\d+)$/m.exec((await app.send("GET /metrics", authorized)).body)
      ?.[1];
  strictEqual(await hitBy(app, "a/b", keyOf("counter:a/b")), 200);
  strictEqual(await uses(), "0");
  strictEqual(await hitBy(app, "a/b", keyOf("counter:a/b", EARLIER)), 200);
  strictEqual(await hitBy(app, "a/b", keyOf("counter:a/b", EARLIER)), 200, "known by then");
  strictEqual(await hitBy(app, "a/b", keyOf("prefix:a/", EARLIER)), 200);
  const read = `GET /count?id=a/b&key=${keyOf("read:a/", EARLIER)}`;
  strictEqual((await app.send(read)).status, 200);
  strictEqual(await uses(), "4");
  strictEqual(await hitBy(app, "a/b", keyOf("counter:a/b", "another-0123456789")), 401);
  strictEqual(await uses(), "4");
  deepStrictEqual(await keyFrom(app, "id=a/b"), { id: "a/b", key: keyOf("counter:a/b") });

  // The requests of tools with a key are not counted, but shown.
  const { json } = await app.send("GET /decisions", authorized);
  const decisions = field(json, "decisions");
  ok(Array.isArray(decisions));
  deepStrictEqual(decisions.map((one) => Object(one).earlierKey), [true, true, true, undefined]);
});

Deno.test("keys of an earlier secret are off while the secret is short", async () => {
  await using app = await memoryApp({ secret: "15-characters--", fallbacks: [EARLIER] });
  strictEqual(await hitBy(app, "a", keyOf("counter:a", EARLIER)), 401);
});

// --- Jobs ----------------------------------------------------------------------------------------

const IMPORT_KEY = `import.github/.${keyOf("job:import:github/")}`;

Deno.test("GET /key?job= gives a key that shows what it is for", async () => {
  await using app = await memoryApp();
  deepStrictEqual(await keyFrom(app, "job=metrics"), {
    job: "metrics",
    key: `metrics.${keyOf("job:metrics")}`,
  });
  deepStrictEqual(await keyFrom(app, "job=backup"), {
    job: "backup",
    key: `backup.${keyOf("job:backup")}`,
  });
  deepStrictEqual(await keyFrom(app, "job=import&prefix=github/"), {
    job: "import",
    prefix: "github/",
    key: IMPORT_KEY,
  });
  // Only what a header can contain.
  const { key } = Object(await keyFrom(app, "job=import&prefix=日本+%2525/a/"));
  strictEqual(
    key,
    `import.%E6%97%A5%E6%9C%AC%20%2525/a/.${keyOf("job:import:日本 %25/a/")}`,
  );
  const sent = await app.sendBody("POST /counters", '{"id":"日本 %25/a/b","hits":1}', bearing(key));
  strictEqual(sent.status, 200);
  for (
    const query of [
      ...["job=", "job=other", "job=Metrics", "job=import", "job=metrics&prefix=a/"],
      ...[
        "job=backup&id=a",
        "job=import&prefix=a/&read=a/",
        "job=import&prefix=a",
        "job=import&id=a",
      ],
      ...["job=import&prefix=", "job=metrics&job=metrics"],
    ]
  ) {
    strictEqual((await app.send(`GET /key?${query}`, authorized)).status, 400, query);
  }
});

Deno.test("job keys are off while the secret is shorter than 16 characters", async () => {
  const short = "15-characters--";
  for (const [secret, status] of [[short, 401], [`${short}x`, 200]] as const) {
    await using app = await memoryApp({ secret });
    const owner = { "x-auth-token": secret };
    strictEqual((await app.send("GET /key?job=metrics", owner)).status, status);
    const key = `metrics.${keyOf("job:metrics", secret)}`;
    strictEqual((await app.send("GET /metrics", bearing(key))).status, status);
  }
});

Deno.test("a job key opens both modes of an import, and its dry run", async () => {
  await using app = await memoryApp();
  const line = '{"id":"github/a","hits":7}';
  for (const query of ["?dry=1", "?mode=max&dry=1", "?mode=max", ""]) {
    const { status } = await app.sendBody(`POST /counters${query}`, line, bearing(IMPORT_KEY));
    strictEqual(status, 200, query);
  }
  strictEqual(await app.count("github/a"), 7);
});

/** Ids that begin with `github/` once they are normalized as the service normalizes ids. */
const INSIDE = ["github/a", "github/", "github//a", " github/a", "github/../a", "github/%2e"];
/** Ids that only look as if they did. */
const OUTSIDE = [
  ...[
    "github",
    "githu/b",
    "Github/a",
    "GITHUB/a",
    "github%2Fa",
    "githubx/a",
    "x/github/a",
    "/github/a",
  ],
  ...[
    "git\u0131hub/a",
    "g\u0456thub/a",
    "\uff47ithub/a",
    "github\u2215a",
    "github\u2044a",
    "github\\a",
  ],
  ...["github \u00a0/a", "./github/a", "home"],
];

Deno.test("a job key imports the ids below its prefix, and nothing with one that only looks like it", async () => {
  for (const dry of ["", "?dry=1"]) {
    await using app = await memoryApp();
    const importAll = (ids: readonly string[]) => {
      const lines = ids.map((id) => JSON.stringify({ id, hits: 5 })).join("\n");
      return app.sendBody(`POST /counters${dry}`, lines, bearing(IMPORT_KEY));
    };
    for (const id of OUTSIDE) {
      const { status, json } = await importAll(["github/before", "github/too", id, "github/after"]);
      strictEqual(status, 403, id);
      match(
        String(field(json, "detail")),
        /^Line 3 .* This job key imports only ids that begin with github\/\. .*(: 0|was written)\./,
      );
      strictEqual(await app.count("github/before"), 0, id);
    }
    // Format characters are no part of an id.
    for (const id of ["github\u200c/a", "git\u200dhub/a", "\u200bgithub/a"]) {
      ok([400, 403].includes((await importAll([id])).status), id);
    }
    strictEqual((await importAll(INSIDE)).status, 200);
  }
});

Deno.test("a job key compares ids in NFC, as counters have them", async () => {
  await using app = await memoryApp();
  const { key } = Object(
    await keyFrom(app, `job=import&prefix=${encodeURIComponent("cafe\u0301/")}`),
  );
  const send = (id: string) =>
    app.sendBody("POST /counters", JSON.stringify({ id, hits: 1 }), bearing(key));
  strictEqual((await send("caf\u00e9/a")).status, 200);
  strictEqual((await send("cafe\u0301/a")).status, 200);
  strictEqual((await send("cafe/a")).status, 403);
});

Deno.test("what is almost a job key opens nothing", async () => {
  await using app = await memoryApp();
  const code = keyOf("job:import:github/");
  const keys = [
    ...[
      code,
      `import.${code}`,
      `import.github.${code}`,
      `import./.${code}`,
      `import.github/a/.${code}`,
    ],
    ...[
      `import.github//.${code}`,
      `import.%67ithub/.${code}`,
      `Import.github/.${code}`,
      `.${code}`,
    ],
    ...[`import.github/.${code}=`, `import.github/.${code.slice(1)}`, `import.git%68ub/.${code}`],
    ...[`import.%/.${code}`, `import. github/.${code}`, `metrics.github/.${keyOf("job:metrics")}`],
    ...[`backup.${keyOf("job:metrics")}`, `import.${keyOf("job:import")}`, keyOf("job:backup")],
  ];
  for (const key of keys) {
    for (const line of ["GET /metrics", "GET /counters"]) {
      strictEqual((await app.send(line, bearing(key))).status, 401, key);
    }
    const line = '{"id":"github/a","hits":1}';
    strictEqual((await app.sendBody("POST /counters", line, bearing(key))).status, 401, key);
  }
});

function bearing(key: string) {
  return { authorization: `Bearer ${key}` };
}
