import { deepStrictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import type { CounterStore } from "../../../src/domain/store.ts";
import { field, memoryStore, openApp, type TestApp } from "../../support/app.ts";
import { keyOf, SECRET } from "../../support/secret.ts";
import { fullNumbers } from "../../support/time_limit.ts";

/** Everything that decides whether a hit counts, in all combinations. */
const DIMENSIONS = {
  line: ["GET /hit", "POST /hit", "HEAD /hit", "GET /hit.svg", "HEAD /hit.svg"],
  credentials: ["secret", "own key", "group key", "none"],
  agent: ["reader", "crawler", "image proxy"],
  prefetch: [false, true],
  once: [false, true],
  visitor: [false, true],
  idempotencyKey: ["none", "good", "bad"],
  counter: ["new", "at 0", "at 3"],
  page: ["none", "own visit", "listed site", "other site"],
  isPrefixFull: [false, true],
} as const;

type Case = { readonly [Name in keyof typeof DIMENSIONS]: typeof DIMENSIONS[Name][number] };

/** A response, and the total of the counter after it. */
interface Outcome {
  status: number;
  /** `X-Tallymark`. */
  remark: string | undefined;
  /** The number of the answer; undefined where it has none, as that to HEAD. */
  hits: number | undefined;
  count: number;
}

/** Returns what the contract says about a hit that is sent twice. */
function expected(given: Case): Outcome[] {
  const before = given.counter === "at 3" ? 3 : 0;
  const rule = ruleOf(given);
  const [method] = given.line.split(" ");
  const outcome = (remark: string | undefined, hits: number, count: number): Outcome => {
    return { status: 200, remark, hits: method === "HEAD" ? undefined : hits, count };
  };
  switch (rule) {
    case "counts":
      return [
        outcome(undefined, before + 1, before + 1),
        outcome(undefined, before + 2, before + 2),
      ];
    case "camo":
      return [outcome("camo", before + 1, before + 1), outcome("camo", before + 2, before + 2)];
    case "counts the first time":
      return [
        outcome(undefined, before + 1, before + 1),
        outcome("repeat", before + 1, before + 1),
      ];
    case "camo the first time":
      return [outcome("camo", before + 1, before + 1), outcome("repeat", before + 1, before + 1)];
    case "looks":
      return [outcome(undefined, before, before), outcome(undefined, before, before)];
    case "prefetch":
    case "bot":
    case "skip":
    case "other-site":
      return [outcome(rule, before, before), outcome(rule, before, before)];
    default: {
      const refused = { status: STATUSES[rule], remark: rule, hits: undefined, count: before };
      return [refused, refused];
    }
  }
}

const STATUSES = {
  "method-not-allowed": 405,
  "unauthorized": 401,
  "bad-idempotency-key": 400,
  "bad-query": 400,
  "group-full": 403,
} as const;

type Rule =
  | keyof typeof STATUSES
  | ("prefetch" | "looks" | "bot" | "skip" | "other-site" | "camo" | "counts")
  | ("counts the first time" | "camo the first time");

/** The first rule of the contract that applies. */
function ruleOf(
  { line, credentials, agent, prefetch, once, visitor, counter, page, isPrefixFull, ...given }:
    Case,
): Rule {
  const [method, path] = line.split(" ");
  const byKey = credentials !== "secret";
  const key = path === "/hit" ? given.idempotencyKey : "none";
  if (line === "HEAD /hit") return "method-not-allowed";
  if (credentials === "none") return "unauthorized";
  if (key === "bad" || (key === "good" && byKey)) return "bad-idempotency-key";
  if (prefetch) return "prefetch";
  if (method === "HEAD") return "looks";
  if (visitor && byKey) return "bad-query";
  if (agent === "crawler" && byKey) return "bot";
  if (page === "own visit" && byKey) return "skip";
  if (page === "other site" && byKey) return "other-site";
  const isNew = counter === "new";
  if (credentials === "group key" && isPrefixFull && isNew) return "group-full";
  // With the secret, the proxy's user agent matters only to once=day without a named visitor.
  const isProxy = agent === "image proxy" && (byKey || (once && !visitor));
  if (isProxy) return key === "good" ? "camo the first time" : "camo";
  return once || key === "good" ? "counts the first time" : "counts";
}

const AGENTS = {
  "reader": "Mozilla/5.0 (Windows NT 10.0; rv:148.0) Gecko Firefox/148.0",
  "crawler": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "image proxy": "github-camo (876de43e)",
};

/** The `Origin` of the page that sends the hit. */
const ORIGINS = {
  "none": undefined,
  "own visit": "https://blog.example",
  "listed site": "https://blog.example",
  "other site": "null",
};

const KEYS = { none: [], good: ["n-1"], bad: ["n 1"] };

/** An app, and the store to look into what a counter holds. */
interface Room {
  readonly app: TestApp;
  readonly store: CounterStore;
}

/** Sends the hit of a case to its counter, twice. */
async function sendTwice({ app, store }: Room, id: string, given: Case): Promise<Outcome[]> {
  const headers = new Headers({ "user-agent": AGENTS[given.agent] });
  const origin = ORIGINS[given.page];
  if (origin !== undefined) headers.set("origin", origin);
  if (given.prefetch) headers.set("sec-purpose", "prefetch;prerender");
  if (given.credentials === "secret") headers.set("x-auth-token", SECRET);
  for (const key of KEYS[given.idempotencyKey]) headers.set("idempotency-key", key);
  const query = new URLSearchParams({
    id,
    ...given.once && { once: "day" },
    ...given.page === "own visit" && { skip: "1" },
    ...given.visitor && { visitor: "ada" },
    ...given.credentials === "own key" && { key: keyOf(`counter:${id}`) },
    ...given.credentials === "group key" && { key: keyOf(`prefix:${PREFIX}`) },
  });
  const outcomes: Outcome[] = [];
  for (let time = 0; time < 2; time++) {
    const answer = await app.send(`${given.line}?${query}`, headers);
    const remark = answer.headers["x-tallymark"];
    const [count] = await store.read([counterId(id)]);
    outcomes.push({ status: answer.status, remark, hits: hitsOf(answer), count: Number(count) });
  }
  return outcomes;
}

const PREFIX = "f/";

function hitsOf({ status, json, body }: Awaited<ReturnType<TestApp["send"]>>): number | undefined {
  if (status !== 200 || body === "") return undefined;
  if (json !== undefined) return Number(field(json, "hits"));
  return Number(/<title>views: (\d+)</.exec(body)?.[1]);
}

/** Every combination of the other dimensions with these. */
function casesWith(fixed: Pick<Case, "line" | "isPrefixFull">): Case[] {
  let cases: Partial<Case>[] = [fixed];
  for (const [name, values] of Object.entries(DIMENSIONS)) {
    if (Object.hasOwn(fixed, name)) continue;
    cases = cases.flatMap((given) => values.map((value) => ({ ...given, [name]: value })));
  }
  // Each of them has all dimensions by now.
  return cases as Case[];
}

for (const isPrefixFull of DIMENSIONS.isPrefixFull) {
  for (const line of DIMENSIONS.line) {
    Deno.test(`${line} counts as the contract says${isPrefixFull ? ", with a full prefix" : ""}`, async () => {
      const { store } = await memoryStore();
      await using app = openApp({
        store,
        groupLimit: isPrefixFull ? 0 : 10_000,
        hitOrigins: ["https://blog.example", "http://localhost:3000"],
      });
      // 19 divides no product of the dimensions, so every 19th case has all pairs of values.
      const cases = casesWith({ line, isPrefixFull }).filter((_, number) =>
        fullNumbers || number % 19 === 0
      );
      const lines = cases.flatMap(({ counter }, number) => {
        const hits = counter === "at 3" ? 3 : 0;
        return counter === "new" ? [] : [JSON.stringify({ id: `${PREFIX}${number}`, hits })];
      });
      const { json } = await app.sendBody("POST /counters", lines.join("\n"));
      deepStrictEqual(json, { counters: lines.length });
      for (const [number, given] of cases.entries()) {
        const outcomes = await sendTwice({ app, store }, `${PREFIX}${number}`, given);
        deepStrictEqual({ given, outcomes }, { given, outcomes: expected(given) });
      }
    });
  }
}
