import { deepStrictEqual, ok } from "node:assert/strict";
import { cpuUsage } from "node:process";
import { type Answer, memoryApp, type TestApp } from "../../support/app.ts";
import { authorized } from "../../support/secret.ts";
import { fullNumbers } from "../../support/time_limit.ts";
import { Random } from "./random.ts";

const REQUESTS = fullNumbers ? 1_000_000 : 3000;
const MAX_CPU_MS = 100;
const ROOT = "/as/leancloud/1.1";
const READER = "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0";

interface Attack {
  readonly line: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

type Pick<Value> = readonly [Value, ...Value[]];

const encode = (text: string) => new TextEncoder().encode(text).toBase64({ alphabet: "base64url" });
const INCREMENT = { time: { __op: "Increment", amount: 1 } };

const PAGES: Pick<string> = [
  ...["/", "", "/a/", "a", "//", "/文章/", "/*home", " ", "\0", "\ud800", "é", "e\u0301"] as const,
  ...["../x", "x".repeat(200), "x".repeat(5000), "__proto__", "constructor", "%2f", "\u202e"],
];

/** Values of any kind in JSON, nested. */
function value(random: Random, depth = 0): unknown {
  const leaf = random.pick<unknown>([
    ...[null, true, 0, 1, -1, 1.5, 1e308, "1", INCREMENT, INCREMENT.time, [], {}] as const,
    ...["Increment", "/", "$in"],
  ]);
  if (depth > 4 || random.percent(60)) return leaf;
  if (random.percent(40)) return random.some(4, () => value(random, depth + 1));
  const names: Pick<string> = [
    ...["url", "target", "time", "__op", "amount", "$in", "$ne", "$regex", "$or"] as const,
    ...["requests", "method", "path", "body", "ACL", "__proto__", "title", "where"],
  ];
  const members = random.some(4, () => [random.pick(names), value(random, depth + 1)]);
  return Object.fromEntries(members);
}

function objectId(random: Random): string {
  const id = encode(`${
    random.pick([
      ...["leancloud/blog/", "leancloud/blog/", "leancloud/blog/", "leancloud/other/"] as const,
      ...["leancloud/", "", "applause/blog.example/", "leancloud/blog/../other/"],
    ])
  }${random.pick(PAGES)}`);
  if (random.percent(80)) return id.replaceAll("=", "");
  return random.pick([`${id}=`, id.slice(1), `${id}A`, "", ".", "%00", "_User", id.toUpperCase()]);
}

function where(random: Random): unknown {
  const field = random.pick(["url", "target", "title", "__proto__", "objectId"]);
  const pages = random.some(120, () => random.pick(PAGES));
  return random.pick<unknown>([
    { [field]: random.pick(PAGES) },
    { [field]: { $in: pages } },
    { [field]: { $in: pages, $ne: 1 } },
    value(random),
  ]);
}

/** A write in a batch, or what looks like one. */
function write(random: Random, depth = 0): unknown {
  const path = `/1.1/classes/${random.pick(["Counter", "Counter", "_User"])}/${objectId(random)}`;
  const creation = { url: random.pick(PAGES), time: random.pick([0, 1, 1, 2, "1"]) };
  const nested = depth > 2 ? {} : { requests: random.some(3, () => write(random, depth + 1)) };
  return random.pick<unknown>([
    { method: "PUT", path, body: INCREMENT },
    { method: "PUT", path, body: INCREMENT },
    { method: "PUT", path, body: value(random) },
    { method: random.pick(["DELETE", "GET", "POST", "put", "__proto__"]), path, body: INCREMENT },
    { method: "POST", path: "/1.1/classes/Counter", body: creation },
    { method: "POST", path: "/1.1/batch", body: nested },
    value(random),
  ]);
}

function batch(random: Random): unknown {
  // Rare and of short writes, because the test makes the body in the measured process.
  if (random.below(500) === 0) return { requests: Array(100_000).fill({ method: "PUT" }) };
  if (random.percent(10)) return value(random);
  const good = { method: "PUT", path: `/1.1/classes/Counter/${objectId(random)}`, body: INCREMENT };
  if (random.percent(40)) return { requests: random.some(3, () => good) };
  return { requests: random.some(random.percent(5) ? 120 : 5, () => write(random)) };
}

function leancloudAttack(random: Random, key: string): Attack {
  const headers: Record<string, string> = {
    "x-lc-id": random.percent(90)
      ? "blog"
      : random.pick(["other", "", "a/b", "..", "x".repeat(999)]),
    "x-lc-key": random.percent(90) ? key : random.pick(["", "wrong", `${key},master`, "é"]),
    ...(random.percent(2) && { "x-lc-sign": "a,1" }),
    "user-agent": random.percent(95) ? READER : "Googlebot/2.1",
  };
  const query = `where=${encodeURIComponent(JSON.stringify(where(random)) ?? "")}`;
  const creation = { url: random.pick(PAGES), time: random.pick([0, 1, 1, 1, 2, -1, null]) };
  const [method, path, body] = random.pick<readonly [string, string, unknown]>([
    ["GET", `${ROOT}/classes/Counter?${query}`, ""],
    ["GET", `${ROOT}/classes/Counter?${query}&limit=${random.below(200)}&order=-time`, ""],
    ["POST", `${ROOT}/classes/Counter`, creation],
    ["POST", `${ROOT}/classes/Counter`, value(random)],
    ["PUT", `${ROOT}/classes/Counter/${objectId(random)}`, INCREMENT],
    ["PUT", `${ROOT}/classes/Counter/${objectId(random)}`, value(random)],
    ["POST", `${ROOT}/batch`, batch(random)],
    ["POST", `${ROOT}/batch`, batch(random)],
    [
      "POST",
      `${ROOT}/${random.pick(["users", "login", "functions/x", "classes/_User", "%ff"])}`,
      {},
    ],
  ]);
  return { line: `${method} ${path}`, headers, body: JSON.stringify(body) ?? "" };
}

function applauseAttack(random: Random): Attack {
  const host = random.pick(["blog.example", "blog.example", "other.example", "a@b", "[::1]", ""]);
  const page = `${random.pick(["https://", "http://", "ftp://", "javascript:", ""])}${host}${
    random.pick(["/", "/a/", "/*site", "/%ff", "?x=1", "/文章/", `/${"x".repeat(300)}`])
  }`;
  const [path, body] = random.pick<readonly [string, unknown]>([
    ["get-claps", ""],
    ["update-claps", `${random.below(13) - 1},4.0.5`],
    ["update-claps", random.below(13) - 1],
    ["update-claps", value(random)],
    ["get-multiple", random.some(110, () => page)],
    ["get-multiple", value(random)],
    [random.pick(["", "reset-claps", "set-claps", "get-claps/x"]), 5],
  ]);
  return {
    line: `POST /as/applause/${path}?url=${encodeURIComponent(page.toWellFormed())}`,
    headers: { "user-agent": READER, referer: "https://blog.example/referer/" },
    body: JSON.stringify(body) ?? "",
  };
}

/** Changes the method or a piece of the body of an attack. */
function mutate({ line, headers, body }: Attack, random: Random): Attack {
  if (random.percent(80)) return { line, headers, body };
  const method = random.pick(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]);
  const at = random.below(body.length + 1);
  const noise = random.pick([
    "",
    '"',
    "{",
    "[",
    "[".repeat(30_000),
    "\0",
    "\u2028",
    "1",
    "x".repeat(70_000),
  ]);
  return {
    line: line.replace(/^\S+/, method),
    headers,
    body: body.slice(0, at) + noise + body.slice(at),
  };
}

async function send(app: TestApp, { line, headers, body }: Attack): Promise<Answer> {
  return /^(?:GET|HEAD) /.test(line)
    ? await app.send(line, headers)
    : await app.sendBody(line, body, headers);
}

/** The hits that a response acknowledges. A crawler is answered and not counted. */
function acknowledged({ line, headers, body }: Attack, answer: Answer): number {
  if (answer.status >= 300 || headers["user-agent"] !== READER) return 0;
  if (line.startsWith("POST /as/applause/update-claps")) return Number(/\d+/.exec(body)?.[0]);
  if (!/^(?:POST|PUT) \/as\/leancloud/.test(line)) return 0;
  const results: unknown[] = Array.isArray(answer.json) ? answer.json : [answer.json];
  return results.filter((one) => JSON.stringify(one)?.includes('"time":')).length;
}

Deno.test(
  `/as/leancloud and /as/applause write what they acknowledge and nothing else under ${REQUESTS} malformed requests, without a 500 and within ${MAX_CPU_MS} ms of CPU each`,
  async () => {
    await using app = await memoryApp({ serveAs: "applause/blog.example/", openReads: true });
    await app.hit("home");
    const { json } = await app.send("GET /key?prefix=leancloud/blog/", authorized);
    const key = String(Object(json).key);
    const random = new Random(1);
    const statuses: Record<string, number> = {};
    let hits = 0;
    let maxMs = 0;
    for (let sent = 0; sent < REQUESTS; sent++) {
      const attack = random.percent(75) ? leancloudAttack(random, key) : applauseAttack(random);
      const mutated = mutate(attack, random);
      let cpuMs = Infinity;
      // A collection of garbage costs as much at any request, so a slow one may try again.
      for (let left = 3; left > 0 && cpuMs >= MAX_CPU_MS; left--) {
        const before = cpuUsage();
        const answer = await send(app, mutated);
        const { user, system } = cpuUsage(before);
        cpuMs = (user + system) / 1000;
        ok(answer.status < 500, `${mutated.line.slice(0, 300)}: ${answer.body}`);
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        hits += acknowledged(mutated, answer);
      }
      ok(
        cpuMs < MAX_CPU_MS,
        `${cpuMs} ms: ${mutated.line.slice(0, 300)} ${mutated.body.slice(0, 300)}`,
      );
      maxMs = Math.max(maxMs, cpuMs);
    }
    const { body } = await app.send("GET /counters?days=0", authorized);
    const lines = body.trim().split("\n").slice(0, -1).map((line) => JSON.parse(line));
    const allowed = /^(?:leancloud\/blog\/|applause\/blog\.example\/)/;
    const others = lines.filter(({ id }) => !allowed.test(id));
    deepStrictEqual(others.map(({ id, hits }) => [id, hits]), [["home", 1]]);
    const stored = lines.reduce((sum, line) => sum + (allowed.test(line.id) ? line.hits : 0), 0);
    deepStrictEqual(stored, hits);
    ok(hits > REQUESTS / 20, `${hits} hits: most requests were refused early`);
    if (fullNumbers) console.log({ statuses, hits, counters: lines.length, maxMs });
  },
);
