// Each test states a sentence of the specification, in the order of its sections. Only a change of
// the specification changes a test here. A new version of the service does not.
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { openService } from "../../src/start/server.ts";
import { parseConfig } from "../../src/start/config.ts";
import { parseSvg } from "../support/parse_svg.ts";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { reservePort } from "../support/reserved_port.ts";
import { startService } from "../support/service.ts";
import { waitFor } from "../support/wait_for.ts";

const SECRET_TOKEN = "specification-secret";
const SECRET = { "X-Auth-Token": SECRET_TOKEN };
/** A standalone server whose reads are open, as those of a hosted instance are. */
const OPEN = { SECRET_TOKEN, PUBLIC_READS: "1", STORE_URL: "memory:" };
const STANDALONE = { SECRET_TOKEN, STORE_URL: "memory:" };
const SERVERLESS = { ...STANDALONE, DENO_DEPLOY: "true", DENO_DEPLOYMENT_ID: "x" };
const READS = ["/count", "/count.txt", "/badge", "/badge.json?id=home"];

// Section "What the service does"

specify("A counter is increased by an authenticated request and read by anyone.", async () => {
  await using service = await serve(OPEN);
  strictEqual((await service.send("POST /hit?id=a", SECRET)).status, 200);
  strictEqual(await service.text("/count.txt?id=a"), "1");
});

specify(
  "Values are returned as JSON, as plain text, as an SVG badge, or as JSON for an external renderer.",
  async () => {
    await using service = await serve(OPEN);
    const typeOf = async (path: string) =>
      (await service.send(`GET ${path}`)).headers.get("content-type")?.split(";")[0];
    deepStrictEqual(
      await Promise.all(READS.map(typeOf)),
      ["application/json", "text/plain", "image/svg+xml", "application/json"],
    );
  },
);

specify("The service can run as a serverless deployment or as a standalone server.", async () => {
  for (const environment of [SERVERLESS, STANDALONE]) {
    await using service = await serve(environment);
    strictEqual((await service.hit("a")).hits, 1);
  }
});

specify(
  "Counters are persisted in an external key-value store when one is configured.",
  async () => {
    await using redis = await startRedis();
    for (const hits of [1, 2]) {
      await using service = await serve({ SECRET_TOKEN, STORE_URL: redis.url });
      deepStrictEqual(await service.hit("a"), { id: "a", hits, source: "redis" });
    }
  },
  needsRedis,
);

specify("SECRET_TOKEN: required for write access to /hit.", async () => {
  await using service = await serve({ ...OPEN, ...SERVERLESS, SECRET_TOKEN: "" });
  for (const headers of [{}, SECRET, { "X-Auth-Token": "" }]) {
    strictEqual((await service.send("POST /hit", headers)).status, 401);
  }
});

specify(
  "HOSTED_STORE_URL and HOSTED_STORE_PASSWORD: host (host:port or a full URL) and password of a hosted store, of which the service builds the full store URL itself.",
  async () => {
    await using redis = await startRedis({ password: "p@ss:word" });
    const hosted = { HOSTED_STORE_PASSWORD: "p@ss:word" };
    const HOSTED_STORE_URL = `redis://127.0.0.1:${redis.port}`;
    await using service = await serve({ SECRET_TOKEN, ...hosted, HOSTED_STORE_URL });
    deepStrictEqual(await service.hit("a"), { id: "a", hits: 1, source: "redis" });
    const [byHost, byUrl] = ["h.example:6380", "rediss://h.example:6380"].map((host) =>
      parseConfig({ SECRET_TOKEN, ...hosted, HOSTED_STORE_URL: host }).store
    );
    deepStrictEqual(byHost, byUrl);
  },
  needsRedis,
);

specify("STORE_URL: a full store URL, scheme://user:password@host:port.", async () => {
  await using redis = await startRedis();
  await redis.command("ACL", "SETUSER", "counter", "on", ">secret", "~*", "+@all");
  const STORE_URL = `redis://counter:secret@127.0.0.1:${redis.port}`;
  await using service = await serve({ SECRET_TOKEN, STORE_URL });
  deepStrictEqual(await service.hit("a"), { id: "a", hits: 1, source: "redis" });
}, needsRedis);

specify("PORT, standalone server only: optional listening port.", async () => {
  const port = reservePort();
  await using service = await startService({ env: { ...OPEN, PORT: String(port) } });
  strictEqual(service.url, `http://127.0.0.1:${port}`);
  strictEqual(await (await fetch(`http://127.0.0.1:${port}/count.txt`)).text(), "0");
  notStrictEqual(parseConfig(STANDALONE).port, undefined);
  deepStrictEqual(parseConfig({ ...SERVERLESS, PORT: "80" }).ignored, ["PORT"]);
});

specify("STORE_PREFIX, standalone server only: optional key prefix, such as hits:.", async () => {
  await using redis = await startRedis();
  for (const [STORE_PREFIX, key] of [["hits:", "hits:a"], ["site:", "site:b"]] as const) {
    await using service = await serve({ SECRET_TOKEN, STORE_URL: redis.url, STORE_PREFIX });
    await service.hit(key.slice(-1));
    strictEqual(await redis.command("GET", key), "1");
  }
  deepStrictEqual(parseConfig({ ...SERVERLESS, STORE_PREFIX: "x:" }).ignored, ["STORE_PREFIX"]);
}, needsRedis);

specify("FAIL_FAST_STORE, standalone server only: optional, such as 0.", async () => {
  for (const FAIL_FAST_STORE of [undefined, "0"]) {
    const optional = FAIL_FAST_STORE === undefined ? {} : { FAIL_FAST_STORE };
    await using service = await serve({ ...OPEN, ...optional });
    strictEqual(await service.text("/count.txt"), "0");
  }
  const ignored = parseConfig({ ...SERVERLESS, FAIL_FAST_STORE: "0" }).ignored;
  deepStrictEqual(ignored, ["FAIL_FAST_STORE"]);
});

specify("A counter that has never been incremented reads as 0.", async () => {
  await using service = await serve(OPEN);
  deepStrictEqual(await service.json("/count?id=a"), { id: "a", hits: 0, source: "memory" });
  strictEqual(await service.text("/count.txt?id=a"), "0");
  match(await service.text("/badge?id=a"), />0</);
  strictEqual((await service.json("/badge.json?id=a")).message, "0");
});

specify(
  "Secrets must not be exposed in client-side code. Websites route increments through their own server function.",
  async () => {
    await using service = await serve(OPEN);
    for (const path of ["/", "/api", "/tally.js", "/like.js", "/openapi.json"]) {
      ok(!(await service.text(path)).includes(SECRET_TOKEN), path);
    }
    const fromPage = { ...SECRET, Origin: "https://site.example" };
    const { headers } = await service.send("POST /hit", fromPage);
    strictEqual(headers.get("access-control-allow-origin"), null);
  },
);

// Section "Resources and their fields"

specify("A counter is identified by a string id. The default id is home.", async () => {
  await using service = await serve(OPEN);
  deepStrictEqual(await service.hit(), { id: "home", hits: 1, source: "memory" });
  strictEqual((await service.json("/count")).id, "home");
  strictEqual((await service.hit("user/repo")).id, "user/repo");
});

specify("A counter has id (string), hits (integer) and source (string).", async () => {
  await using service = await serve(OPEN);
  for (const counter of [await service.hit("a"), await service.json("/count?id=a")]) {
    deepStrictEqual(Object.keys(counter), ["id", "hits", "source"]);
    deepStrictEqual(
      [typeof counter.id, Number.isInteger(counter.hits), typeof counter.source],
      ["string", true, "string"],
    );
  }
});

specify(
  "The badge JSON document has schemaVersion, label, message, color and cacheSeconds.",
  async () => {
    await using service = await serve(OPEN);
    const { schemaVersion, label, message, color, cacheSeconds, ...rest } = await service.json(
      "/badge.json?id=a&color=orange",
    );
    deepStrictEqual(
      [schemaVersion, label, message, color, cacheSeconds, rest],
      [1, "views", "0", "orange", 60, {}],
    );
  },
);

// Section "States and transitions"

specify(
  "A successful /hit increases the counter of the given id and returns the updated value.",
  async () => {
    await using service = await serve(OPEN);
    for (const hits of [1, 2, 3]) strictEqual((await service.hit("a")).hits, hits);
    strictEqual(await service.text("/count.txt?id=b"), "0");
  },
);

// Section "Endpoints"

specify("Increment: GET /hit and POST /hit, with id, X-Auth-Token or token.", async () => {
  await using service = await serve(OPEN);
  let hits = 0;
  for (const method of ["GET", "POST"]) {
    for (const [query, headers] of [["", SECRET], [`&token=${SECRET_TOKEN}`, {}]] as const) {
      const response = await service.send(`${method} /hit?id=a${query}`, headers);
      strictEqual(response.status, 200);
      deepStrictEqual(await response.json(), { id: "a", hits: ++hits, source: "memory" });
    }
  }
});

specify("Read JSON: GET /count, where format=txt or text returns plain text.", async () => {
  await using service = await serve(OPEN);
  await service.hit("a");
  deepStrictEqual(await service.json("/count?id=a"), { id: "a", hits: 1, source: "memory" });
  for (const format of ["txt", "text"]) {
    const response = await service.send(`GET /count?id=a&format=${format}`);
    match(response.headers.get("content-type") ?? "", /^text\/plain/);
    strictEqual(await response.text(), "1");
  }
});

specify("Read text: GET /count.txt returns the count as a number.", async () => {
  await using service = await serve(OPEN);
  await service.hit();
  strictEqual(await service.text("/count.txt"), "1");
  strictEqual(await service.text("/count.txt?id=a"), "0");
});

specify("Badge SVG: GET /badge shows the label, by default views, and the count.", async () => {
  await using service = await serve(OPEN);
  await service.hit("a");
  for (const [query, label] of [["", "views"], ["&label=a%26b", "a&amp;b"]] as const) {
    const svg = await service.text(`/badge?id=a${query}`);
    parseSvg(svg);
    ok(svg.includes(`>${label}<`) && svg.includes(">1<"), svg);
  }
});

specify("GET /badge: style is terminal, or the default classic style.", async () => {
  await using service = await serve(OPEN);
  const [none, classic, terminal] = await service.badges("", "style=classic", "style=terminal");
  strictEqual(none, classic);
  notStrictEqual(none, terminal);
});

specify("GET /badge: color is a color name of the classic style.", async () => {
  await using service = await serve(OPEN);
  const [none, red, blue] = await service.badges("", "color=red", "color=orange");
  strictEqual(new Set([none, red, blue]).size, 3);
});

specify(
  "GET /badge: bg, labelColor and valueColor of the terminal style are hex or an allowed name.",
  async () => {
    await using service = await serve(OPEN);
    for (const name of ["bg", "labelColor", "valueColor"]) {
      const [none, hex = "", word] = await service.badges(
        ...["style=terminal", `style=terminal&${name}=%23c0ffee`, `style=terminal&${name}=orange`],
      );
      ok(hex.toLowerCase().includes("#c0ffee"), name);
      strictEqual(new Set([none, hex, word]).size, 3, name);
    }
  },
);

specify("GET /badge: font is a custom font family.", async () => {
  await using service = await serve(OPEN);
  for (const style of ["classic", "terminal"]) {
    const [svg = ""] = await service.badges(`style=${style}&font=Fira%20Code`);
    ok(svg.includes("Fira Code"), style);
  }
});

specify("GET /badge.json: id, label, color and cacheSeconds, message a string.", async () => {
  await using service = await serve(OPEN);
  await service.hit("a");
  deepStrictEqual(
    await service.json("/badge.json?id=a&label=hits&color=red&cacheSeconds=300"),
    { schemaVersion: 1, label: "hits", message: "1", color: "red", cacheSeconds: 300 },
  );
});

// Section "Authentication"

specify("Only /hit (GET and POST) requires the secret token.", async () => {
  await using service = await serve(OPEN);
  for (const path of READS) strictEqual((await service.send(`GET ${path}`)).status, 200, path);
  for (const method of ["GET", "POST"]) {
    strictEqual((await service.send(`${method} /hit`)).status, 401, method);
  }
});

specify("The token is sent in X-Auth-Token or in token; one of the two is required.", async () => {
  await using service = await serve(OPEN);
  strictEqual((await service.send("GET /hit", SECRET)).status, 200);
  strictEqual((await service.send(`GET /hit?token=${SECRET_TOKEN}`)).status, 200);
  strictEqual((await service.send("GET /hit")).status, 401);
});

specify("The expected token is the value of SECRET_TOKEN in the deployment.", async () => {
  await using service = await serve({ ...OPEN, SECRET_TOKEN: "of another deployment" });
  strictEqual((await service.send("GET /hit", SECRET)).status, 401);
  const own = { "X-Auth-Token": "of another deployment" };
  strictEqual((await service.send("GET /hit", own)).status, 200);
});

specify("Reads are public on serverless deployments.", async () => {
  await using service = await serve(SERVERLESS);
  for (const path of READS) strictEqual((await service.send(`GET ${path}`)).status, 200, path);
});

specify(
  "When the standalone server runs with SECRET_TOKEN set, the read endpoints are also protected.",
  async () => {
    await using service = await serve(STANDALONE);
    for (const path of READS) {
      strictEqual((await service.send(`GET ${path}`)).status, 401, path);
      strictEqual((await service.send(`GET ${path}`, SECRET)).status, 200, path);
    }
  },
);

specify("The public hosted instance is not writable without its own secret.", async () => {
  await using service = await serve(OPEN);
  const foreign = { "X-Auth-Token": "the secret of the caller" };
  strictEqual((await service.send("POST /hit?id=a", foreign)).status, 401);
  strictEqual(await service.text("/count.txt?id=a"), "0");
});

// Section "Errors"

specify("/hit called with a missing or wrong token is 401.", async () => {
  await using service = await serve(OPEN);
  for (const token of [undefined, "", "wrong", `${SECRET_TOKEN}x`, SECRET_TOKEN.slice(0, -1)]) {
    const query = token === undefined ? "" : `&token=${token}`;
    for (const headers of [{}, ...(token ? [{ "X-Auth-Token": token }] : [])]) {
      strictEqual((await service.send(`GET /hit?id=a${query}`, headers)).status, 401, token);
    }
  }
  strictEqual(await service.text("/count.txt?id=a"), "0");
});

// Section "Limits"

specify("cacheSeconds is clamped to the range 30 to 3600; default 60.", async () => {
  await using service = await serve(OPEN);
  const cases = [["", 60], ["29", 30], ["30", 30], ["3600", 3600], ["3601", 3600], ["-1", 30]];
  for (const [given, seconds] of cases) {
    const { cacheSeconds } = await service.json(`/badge.json?id=a&cacheSeconds=${given}`);
    strictEqual(cacheSeconds, seconds, `${given}`);
  }
  strictEqual((await service.json("/badge.json?id=a")).cacheSeconds, 60);
});

// Section "Versioning"

specify("The interface description carries version 1.0.0.", async () => {
  await using service = await serve(OPEN);
  strictEqual((await service.json("/openapi.json")).info.version, "1.0.0");
});

specify("The badge JSON document carries schemaVersion 1.", async () => {
  await using service = await serve(OPEN);
  strictEqual((await service.json("/badge.json?id=a")).schemaVersion, 1);
});

function specify(statement: string, run: () => Promise<void>, options = {}): void {
  Deno.test({ name: `specification: ${statement}`, fn: run, ...options });
}

/** Opens the service with these environment variables, and closes it when disposed of. */
async function serve(environment: Record<string, string>) {
  const loaded = { environment, unknownNames: [], quotedNames: [], fileNames: [] };
  const { app, counters } = await openService(loaded, {
    isTerminal: false,
    onUnusable: (cause) => {
      throw cause;
    },
  });
  const send = async (line: string, headers: HeadersInit = {}) => {
    const [method = "", path = ""] = line.split(" ");
    return await app.fetch(new Request(`http://localhost${path}`, { method, headers }), {});
  };
  // The client of Redis may take longer to load than a hit waits.
  await waitFor("the store", async () => (await send("GET /readyz")).ok || undefined);
  const text = async (path: string) => await (await send(`GET ${path}`)).text();
  return {
    send,
    text,
    json: async (path: string) => JSON.parse(await text(path)),
    async hit(id?: string) {
      const query = id === undefined ? "" : `?id=${encodeURIComponent(id)}`;
      return await (await send(`POST /hit${query}`, SECRET)).json();
    },
    badges: (...queries: string[]) =>
      Promise.all(queries.map((query) => text(`/badge?id=a&${query}`))),
    async [Symbol.asyncDispose]() {
      app.close();
      await counters.close();
    },
  };
}
