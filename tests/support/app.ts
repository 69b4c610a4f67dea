import { parseServeAs } from "../../src/hits/serve_as.ts";
import { match, ok, strictEqual } from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { type Calendar, createCalendar } from "../../src/domain/calendar.ts";
import { createCounters } from "../../src/counters/counters.ts";
import { kvStore } from "./kv_store.ts";
import { parseKeyVersions } from "../../src/auth/keys.ts";
import type { Proxies } from "../../src/hits/caller_address.ts";
import type { CounterStore } from "../../src/domain/store.ts";
import { Metrics } from "../../src/metrics.ts";
import { createLog } from "../../src/log.ts";
import { parseSvg } from "./parse_svg.ts";
import { checkAnswer } from "./openapi_check.ts";
import { SECRET } from "./secret.ts";
import { TIME_ZONE } from "./time_zones.ts";
import { waitFor } from "./wait_for.ts";

/** No day ends during a test unless it says so. */
const CALENDAR = createCalendar(TIME_ZONE);

/** With less than all four GitHub's edge has kept images. */
export const UNCACHED_IMAGE = "max-age=0, no-cache, no-store, must-revalidate";

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON, where its type says so. */
  readonly json: unknown;
}

/** The HTTP surface over a store, without a socket. */
export interface TestApp extends AsyncDisposable {
  /** The lines of its log. */
  readonly log: readonly string[];
  /**
   * Sends "METHOD /path?query", from this machine unless from another, and holds the answer to what
   * holds for all.
   */
  send(line: string, headers?: HeadersInit, peer?: string): Promise<Answer>;
  /** Sends a request without checking the response, whose body is left to be read. */
  open(line: string, headers?: HeadersInit): Promise<Response>;
  /**
   * Sends a request with a body, such as the lines of an import, and with the secret unless other
   * headers are given.
   */
  sendBody(line: string, body: BodyInit, headers?: HeadersInit): Promise<Answer>;
  /** Sends `POST /hit` with the secret so many times, one after the other. */
  hit(id: string, times?: number): Promise<void>;
  /** The number that `/count` gives; with the secret, in case reads are protected. */
  count(id: string): Promise<unknown>;
  /** The totals of all counters by their ids. */
  counted(): Promise<Record<string, number>>;
}

/** Options of {@linkcode openApp}. */
export interface TestAppOptions {
  store: CounterStore;
  secret?: string | undefined;
  openReads?: boolean;
  calendar?: Calendar;
  metrics?: Metrics;
  /** Number of proxies in front of the service; 0 by default. */
  proxies?: Proxies;
  /** Number of counters that a group key may create; 10,000 by default. */
  groupLimit?: number;
  /** As the setting SERVE_AS. */
  serveAs?: string;
  /** As the setting HIT_ORIGINS. */
  hitOrigins?: readonly string[];
  /** Start of the server, with which sign-in links are on. */
  startedAt?: number;
  /** As the setting SECRET_FALLBACKS. */
  fallbacks?: readonly string[];
  /** As the setting KEY_VERSIONS. */
  keyVersions?: string;
  /** As the setting EMBED_ORIGINS. */
  embedOrigins?: readonly string[];
  publicUrl?: string;
}

/** The app over a store, which it closes at the end. */
export function openApp(
  { store, openReads = true, calendar = CALENDAR, metrics = new Metrics(), ...options }:
    TestAppOptions,
): TestApp {
  const { proxies = 0, groupLimit = 10_000, hitOrigins = [], embedOrigins = [], publicUrl } =
    options;
  const { fallbacks = [], startedAt } = options;
  const keyVersions = parseKeyVersions(options.keyVersions ?? "");
  const serveAs = parseServeAs(options.serveAs ?? "");
  const secret = "secret" in options ? options.secret : SECRET;
  const log: string[] = [];
  /** Number of lines of the log that were searched for the secret. */
  let looked = 0;
  const counters = createCounters(store, calendar, metrics);
  const app = createApp({
    config: {
      ...{ secret, openReads, proxies, groupLimit, serveAs, hitOrigins, embedOrigins, publicUrl },
      ...{ fallbacks, keyVersions, startedAt },
    },
    counters,
    metrics,
    log: createLog({ secrets: [], write: (line) => log.push(line) }),
  });

  function send(line: string, headers: HeadersInit = {}, peer?: string): Promise<Answer> {
    return sendRequest(line, { headers }, peer);
  }

  async function sendRequest(
    line: string,
    init: RequestInit,
    peer = "127.0.0.1",
  ): Promise<Answer> {
    const [method = "", target = ""] = line.split(" ");
    const request = new Request(`http://localhost${target}`, { method, ...init });
    // As clients do, and `new Request` does not.
    if (typeof init.body === "string") {
      request.headers.set("content-length", `${new TextEncoder().encode(init.body).length}`);
    }
    const host = request.headers.get("host");
    // Deno puts a request's URL together of its host, if it is not empty, and its path, whatever
    // they are.
    if (host) Object.defineProperty(request, "url", { value: `http://${host}${target}` });
    const response = await app.fetch(request, { remoteAddr: { hostname: peer } });
    // A path in the host comes first: it is that one that is answered.
    const path = request.url.slice(request.url.indexOf("/", "http://".length));
    await checkAnswer(method, `http://localhost${path}`, response);
    const answer = await read(response);
    checkEvery(line, answer, method === "HEAD");
    const said = [answer.body, ...Object.values(answer.headers), ...log.slice(looked)];
    looked = log.length;
    if (secret) ok(!said.some((text) => text.includes(secret)), `${line}: secret`);
    return answer;
  }

  const authorized = { "x-auth-token": secret ?? "" };
  return {
    log,
    send,
    async open(line, headers = {}) {
      const [method = "", target = ""] = line.split(" ");
      return await app.fetch(new Request(`http://localhost${target}`, { method, headers }), {});
    },
    sendBody: (line, body, headers = authorized) => sendRequest(line, { headers, body }),
    async hit(id, times = 1) {
      for (let time = 0; time < times; time++) {
        const { status } = await send(`POST /hit?id=${encodeURIComponent(id)}`, authorized);
        strictEqual(status, 200);
      }
    },
    async count(id) {
      const { json } = await send(`GET /count?id=${encodeURIComponent(id)}`, authorized);
      return field(json, "hits");
    },
    async counted() {
      const { body } = await send("GET /counters?days=0", authorized);
      const lines = body.trim().split("\n").slice(0, -1).map((line) => JSON.parse(line));
      return Object.fromEntries(lines.map(({ id, hits }) => [id, hits]));
    },
    [Symbol.asyncDispose]() {
      app.close();
      return counters.close();
    },
  };
}

/** A store in Deno KV in memory, and its database to look into. */
export async function memoryStore(
  { today }: Pick<Calendar, "today"> = CALENDAR,
): Promise<{ store: CounterStore; kv: Deno.Kv }> {
  const kv = await Deno.openKv(":memory:");
  return { kv, store: await kvStore({ kv, source: "memory", today }) };
}

/** The app over Deno KV in memory. */
export async function memoryApp(options: Omit<TestAppOptions, "store"> = {}): Promise<TestApp> {
  const { store } = await memoryStore(options.calendar);
  return openApp({ store, ...options });
}

/**
 * Registers a test whose steps share an app, because the first PNG of each app takes a second of
 * CPU. Timers of the app outlast a step, so only the whole test is checked for leaks.
 */
export function testApp(
  name: string,
  options: Omit<TestAppOptions, "store">,
  steps: Readonly<Record<string, (app: TestApp) => Promise<void>>>,
): void {
  Deno.test(name, async (t) => {
    await using app = await memoryApp(options);
    for (const [step, run] of Object.entries(steps)) {
      const shared = { sanitizeOps: false, sanitizeResources: false };
      await t.step({ name: step, fn: () => run(app), ...shared });
    }
  });
}

/** Sends until the PNG is made, because the queue gives one up that takes 2 s of a busy machine. */
export function made<Sent extends { status: number }>(send: () => Promise<Sent>): Promise<Sent> {
  return waitFor("a PNG", async () => {
    const sent = await send();
    return sent.status !== 503 && sent;
  });
}

/** A property of a value that came as JSON. */
export function field(json: unknown, name: string): unknown {
  ok(typeof json === "object" && json !== null && Object.hasOwn(json, name));
  return Object.entries(json).find(([key]) => key === name)?.[1];
}

async function read(response: Response): Promise<Answer> {
  const { status } = response;
  const body = await response.text();
  // The server adds it to all but HEAD, whose answer brings it along.
  const { "content-length": _, ...headers } = Object.fromEntries(response.headers);
  const isJson = body !== "" && /[/+]json$/.test(headers["content-type"] ?? "");
  return { status, headers, body, json: isJson ? JSON.parse(body) : undefined };
}

/** Checks the rules of the contract for every response. */
function checkEvery(line: string, { status, headers, body }: Answer, head: boolean): void {
  const where = `${line} answered ${status}`;
  strictEqual(headers["x-content-type-options"], "nosniff", where);
  if (status >= 400) {
    const images = headers["content-type"]?.startsWith("image/") === true;
    strictEqual(headers["cache-control"], images ? UNCACHED_IMAGE : "no-store", where);
    strictEqual(headers.etag, undefined, where);
  }
  if (!headers["content-type"]?.startsWith("image/svg+xml")) return;
  strictEqual(
    headers["content-security-policy"],
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    where,
  );
  if (status === 304 || head) return;
  parseSvg(body);
  for (const [link] of body.matchAll(/url\([^)]*\)/gi)) match(link, /^url\(#\w+\)$/, where);
}
