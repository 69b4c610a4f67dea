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
  "a flood of 64 connections for different PNGs: hits get exact numbers, others are drawn or refused, and memory stays bounded",
  needsLinux,
  async () => {
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:", PUBLIC_READS: "1" },
    });
    await importDays(service);
    let isFlooding = true;
    const statuses = new Map<number, number>();
    const flood = Array.from({ length: CONNECTIONS }, async (_, connection) => {
      for (let number = 0; isFlooding; number++) {
        const response = await fetch(`${service.url}${largePng(connection, number)}`);
        const body = new Uint8Array(await response.arrayBuffer());
        const { status, headers } = response;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        strictEqual(headers.get("content-type"), "image/png");
        deepStrictEqual([...body.subarray(1, 4)], [...new TextEncoder().encode("PNG")]);
        if (status === 503) {
          match(headers.get("retry-after") ?? "", /^\d+$/);
          await pause();
        }
      }
    });
    await waitFor("a PNG and a refusal", () => statuses.size === 2 || undefined);
    const numbers: number[] = [];
    for (let hit = 0; hit < HITS; hit++) {
      const response = await fetch(`${service.url}/hit?id=home`, { headers: authorized });
      strictEqual(response.status, 200);
      numbers.push((await response.json()).hits);
    }
    isFlooding = false;
    await Promise.all(flood);
    // The requests that waited in the full queue: several images of the largest size.
    ok((statuses.get(200) ?? 0) >= 12, `${statuses.get(200)} PNGs`);
    deepStrictEqual(numbers, Array.from({ length: HITS }, (_, hit) => hit + 1));
    deepStrictEqual([...statuses.keys()].toSorted(), [200, 503]);
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
  const flags = await hitDuring(service, (connection, number) => [
    largePng(connection, number),
    401,
  ]);
  deepStrictEqual(flags, Array(PNG_HITS).fill(null));
});

Deno.test("a stranger who asks for public PNGs keeps no hit of /hit.png from being counted", async () => {
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:", PUBLIC_READS: "1" },
  });
  const flags = await hitDuring(service, (connection, number) => [largePng(connection, number)]);
  deepStrictEqual(flags.filter((flag) => flag !== null && flag !== "counted"), []);
});

const PNG_HITS = 3;

/**
 * Sends hits by key while a stranger asks for PNGs, which have the given status. Checks that all
 * were counted and returns their flags.
 */
async function hitDuring(
  { url }: Service,
  request: (connection: number, number: number) => [path: string, status?: number],
): Promise<(string | null)[]> {
  const { key } = await (await fetch(`${url}/key?id=home`, { headers: authorized })).json();
  const ending = new AbortController();
  const { signal } = ending;
  let answered = 0;
  const flood = Array.from({ length: STRANGERS }, async (_, connection) => {
    for (let number = 0; !signal.aborted; number++) {
      const [path, status] = request(connection, number);
      const response = await fetch(`${url}${path}`, { signal }).catch(() => undefined);
      await response?.body?.cancel();
      // The last requests are not waited for.
      if (signal.aborted) return;
      if (status !== undefined) strictEqual(response?.status, status);
      answered++;
      if (response?.status !== 200) await pause();
    }
  });
  await waitFor("a response to the stranger", () => answered > 0 || undefined);
  const flags: (string | null)[] = [];
  for (let hit = 0; hit < PNG_HITS; hit++) {
    const response = await fetch(`${url}/hit.png?id=home&key=${key}`, { headers: READER });
    strictEqual(response.status, 200);
    strictEqual(response.headers.get("content-type"), "image/png");
    await response.body?.cancel();
    flags.push(response.headers.get("x-tallymark"));
  }
  ending.abort();
  await Promise.all(flood);
  const { hits } = await (await fetch(`${url}/count?id=home`, { headers: authorized })).json();
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
