import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { connectTo, sendRaw } from "../../support/raw_http.ts";
import { authorized, SECRET } from "../../support/secret.ts";
import { type Service, startService } from "../../support/service.ts";
import { fullNumbers } from "../../support/time_limit.ts";
import { waitFor } from "../../support/wait_for.ts";

const CONNECTIONS = 64;
const HITS = 25;
/**
 * Maximum resident memory of a service that draws the largest PNGs, in megabytes. On a machine that
 * other tests use, more garbage waits for its collection.
 */
const MAX_MEMORY_MB = fullNumbers ? 220 : 250;
const needsLinux = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "a flood of 64 connections for different PNGs: hits get exact numbers, also of /hit.png, others are drawn or refused, and memory stays bounded",
  needsLinux,
  async () => {
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:", PUBLIC_READS: "1" },
    });
    await importDays(service);
    const flood = startFlood(service, CONNECTIONS, ({ status, headers }, body) => {
      strictEqual(headers.get("content-type"), "image/png");
      deepStrictEqual([...body.subarray(1, 4)], [...new TextEncoder().encode("PNG")]);
      if (status === 503) match(headers.get("retry-after") ?? "", /^\d+$/);
    });
    await waitFor("a PNG and a refusal", () => flood.statuses.size === 2);
    const numbers: number[] = [];
    for (let hit = 0; hit < HITS; hit++) {
      const response = await fetch(`${service.url}/hit?id=home`, { headers: authorized });
      strictEqual(response.status, 200);
      numbers.push((await response.json()).hits);
    }
    const flags = await hitImages(service);
    deepStrictEqual(flags.filter((flag) => flag !== null && flag !== "counted"), []);
    await waitFor("several images of the largest size", () => (flood.statuses.get(200) ?? 0) >= 12);
    await flood.end();
    deepStrictEqual(numbers, Array.from({ length: HITS }, (_, hit) => hit + 1));
    deepStrictEqual([...flood.statuses.keys()].toSorted(), [200, 503]);
    const memory = await peakMemory(service);
    ok(memory <= MAX_MEMORY_MB, `${memory} MB`);
  },
);

/** Number of connections of a stranger, which is the number of places in the queue. */
const STRANGERS = 16;
/** The headers of a browser that shows an image. */
const READER = { accept: "image/png,image/*", "user-agent": "Mozilla/5.0 (X11) Firefox/148.0" };

Deno.test("a stranger without a key keeps no hit of /hit.png from being counted and drawn", async () => {
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:" },
  });
  const flood = startFlood(service, STRANGERS, ({ status }) => strictEqual(status, 401));
  await waitFor("a response to the stranger", () => flood.statuses.size > 0);
  const flags = await hitImages(service);
  await flood.end();
  deepStrictEqual(flags, Array(PNG_HITS).fill(null));
});

/** Starts connections that ask for PNGs, and a check of each response. */
function startFlood(
  { url }: Service,
  connections: number,
  check: (response: Response, body: Uint8Array) => void,
) {
  const ending = new AbortController();
  const { signal } = ending;
  const statuses = new Map<number, number>();
  const clients = Array.from({ length: connections }, async (_, connection) => {
    for (let number = 0; !signal.aborted; number++) {
      try {
        const response = await fetch(`${url}${largePng(connection, number)}`, { signal });
        check(response, await response.bytes());
        const { status } = response;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== 200) await pause();
      } catch (error) {
        // The last requests are not waited for.
        if (!signal.aborted) throw error;
      }
    }
  });
  const done = Promise.all(clients);
  // Reported by the end.
  done.catch(() => {});
  return {
    statuses,
    async end(): Promise<void> {
      ending.abort();
      await done;
    },
  };
}

const PNG_HITS = 3;

/** Sends hits by key to /hit.png. Checks that all were counted, and returns their flags. */
async function hitImages({ url }: Service): Promise<(string | null)[]> {
  const { key } = await (await fetch(`${url}/key?id=image`, { headers: authorized })).json();
  const flags: (string | null)[] = [];
  for (let hit = 0; hit < PNG_HITS; hit++) {
    const response = await fetch(`${url}/hit.png?id=image&key=${key}`, { headers: READER });
    strictEqual(response.status, 200);
    strictEqual(response.headers.get("content-type"), "image/png");
    await response.body?.cancel();
    flags.push(response.headers.get("x-tallymark"));
  }
  const { hits } = await (await fetch(`${url}/count?id=image`, { headers: authorized })).json();
  strictEqual(hits, PNG_HITS);
  return flags;
}

/**
 * Pauses a client that was refused. The queue stays full, and the test does not take the processor
 * from what it waits for.
 */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** Imports a year of days of `home`, with no total. */
async function importDays(service: Service): Promise<void> {
  const days = Object.fromEntries(Array.from({ length: 365 }, (_, back) => {
    const day = new Date(Date.now() - (back + 1) * 86_400_000).toISOString().slice(0, 10);
    return [day, 50 + back * 7919 % 97];
  }));
  const body = JSON.stringify({ id: "home", hits: 0, days });
  const options = { method: "POST", headers: authorized, body };
  const response = await fetch(`${service.url}/counters`, options);
  strictEqual(response.status, 200, await response.text());
}

/** Returns the address of a PNG that is as large as possible, another one for each number. */
function largePng(connection: number, number: number): string {
  const color = (connection * 61 + number * 7).toString(16).padStart(6, "0");
  const chart = "/chart.png?width=960&height=400";
  const images = [
    ...["bars", "area", "total"].map((kind) => `${chart}&kind=${kind}&range=90d`),
    ...[`${chart}&range=52w`, "/calendar.png?", "/card.png?", "/preview.png?"],
    ...["/badge.png?style=odometer&digits=16", `/badge.png?label=${"W".repeat(100)}`],
  ];
  return `${images[(connection + number) % images.length]}&scale=3&color=${color}`;
}

/** Returns the largest resident memory that a service has had, in megabytes. */
async function peakMemory(service: Service): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${service.pid}/status`);
  return Math.round(Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024);
}

const LIMIT = 96;

Deno.test({
  name: "a first PNG with few free file descriptors is refused, and drawn when more are free",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:", PUBLIC_READS: "1" },
      wrap: (line) => ["sh", "-c", `ulimit -n ${LIMIT}; exec "$@"`, "sh", ...line],
    });
    const held: Deno.TcpConn[] = [];
    while (openDescriptors(service) < LIMIT - 2) held.push(await connectAndAsk(service));
    const statuses = [await statusOfPng(service)];
    await waitFor("a PNG", async () => {
      held.pop()?.close();
      statuses.push(await statusOfPng(service));
      return statuses.at(-1) === 200 || undefined;
    });
    for (const connection of held) connection.close();
    deepStrictEqual([statuses[0], new Set(statuses)], [503, new Set([503, 200])]);
  },
});

/** Opens a connection that the service has accepted: it has answered on it, and keeps it open. */
async function connectAndAsk({ url }: Service): Promise<Deno.TcpConn> {
  const connection = await connectTo(url);
  await connection.write(
    new TextEncoder().encode("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
  );
  await connection.read(new Uint8Array(4096));
  return connection;
}

function openDescriptors({ pid }: Service): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

async function statusOfPng({ url }: Service): Promise<number | undefined> {
  const request = "GET /badge.png HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const [answer] = await sendRaw({ url }, request);
  return answer?.status;
}
