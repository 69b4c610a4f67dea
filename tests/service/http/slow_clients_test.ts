import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { growthDuring } from "../../bench/sizes.ts";
import { projectFolder } from "../../support/programs.ts";
import { type ServiceAddress, startLocalService } from "../../support/local_service.ts";
import { connectTo, parseAnswers, type RawAnswer } from "../../support/raw_http.ts";
import { SECRET } from "../../support/secret.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait_for.ts";

const CONNECTIONS = 300;
/** Memory that bodies which never end may take, in MB. */
const LIMIT = 60;

const READER = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Firefox/148.0" };
const SETTINGS = { STORE_URL: "memory:", SERVE_AS: "applause/blog.example/" };
const CLAPS = "/as/applause/update-claps?url=https://blog.example/a";

Deno.test(
  `${CONNECTIONS} bodies that never end take no more than ${LIMIT} MB, end, and keep nobody from clapping`,
  // Other systems do not report the peak memory of a process.
  { ignore: Deno.build.os !== "linux" },
  async () => {
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, ...SETTINGS },
    });
    const clap = () =>
      waitFor("a store in time", async () => {
        const response = await fetch(`${service.url}${CLAPS}`, {
          ...{ method: "POST", body: "1", headers: READER },
        });
        const json = await response.json();
        // A busy machine may be later than the two seconds of a hit.
        if (["Outcome unknown", "Store unavailable"].includes(json.title)) return undefined;
        strictEqual(response.status, 200, json.detail);
        return true;
      });
    await clap();
    const connections: Deno.TcpConn[] = [];
    const grown = await growthDuring(service.pid, async () => {
      for (let count = 0; count < CONNECTIONS; count++) {
        connections.push(await beginPost(service, CLAPS));
      }
      await clap();
    });
    ok(grown <= LIMIT, `${grown} MB`);
    const statuses = await Promise.all(connections.map(statusOf));
    strictEqual(statuses.filter((status) => status === 400).length, CONNECTIONS);
    await clap();
  },
);

Deno.test("a body that is too long, or that a stranger may not send, is refused before it arrives", async () => {
  await using service = await startLocalService({ SECRET_TOKEN: SECRET, ...SETTINGS });
  const other = CLAPS.replace("blog.example", "other.example");
  strictEqual(await statusOf(await beginPost(service, other)), 401);
  const { status, body } = await answerOn(await beginPost(service, CLAPS, 16_385));
  // A body that does not arrive in time is a 400 as well.
  deepStrictEqual([status, /longer than 16384 bytes/.test(body)], [400, true]);
  strictEqual(await statusOf(await beginPost(service, "/as/applause/get-multiple")), 401);
  strictEqual(await statusOf(await beginPost(service, "/as/leancloud/1.1/batch")), 401);
});

/** Sends a request with the first byte of its body only. */
async function beginPost(
  { url }: ServiceAddress,
  path: string,
  length = 10_000,
): Promise<Deno.TcpConn> {
  const connection = await connectTo(url);
  const request = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-LC-Id: blog\r\n` +
    `User-Agent: ${READER["user-agent"]}\r\nContent-Length: ${length}\r\n\r\n1`;
  await connection.write(new TextEncoder().encode(request));
  return connection;
}

/** Resolves with the response, and closes the connection. */
async function answerOn(connection: Deno.TcpConn): Promise<RawAnswer> {
  using open = connection;
  const buffer = new Uint8Array(4096);
  for (let received = 0;;) {
    const length = await open.read(buffer.subarray(received));
    if (length === null) throw new Error("Read an answer: the connection ended");
    received += length;
    const reading = { head: false, ended: false };
    const [answer] = parseAnswers(buffer.subarray(0, received), reading);
    if (answer !== undefined) return answer;
  }
}

async function statusOf(connection: Deno.TcpConn): Promise<number> {
  return (await answerOn(connection)).status;
}

const READERS = 5;
/** Number of requests of a connection, which HTTP/2 sends at once. */
const REQUESTS = 100;
/** Memory that all unread responses together may take, in MB. Each is up to 0.4 MB long. */
const UNREAD_LIMIT = 70;

Deno.test(
  `${
    READERS * REQUESTS
  } responses that clients leave unread over HTTP/2 take no more than ${UNREAD_LIMIT} MB`,
  // Other systems do not report the peak memory of a process.
  { ignore: Deno.build.os !== "linux" },
  async (t) => {
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:", PUBLIC_READS: "1" },
    });
    for (const path of ["/openapi.json", "/api", "/"]) {
      await t.step(path, async () => {
        const { body, headers } = await fetch(`${service.url}${path}`, {
          headers: { "accept-encoding": "identity" },
        });
        const { length } = new Uint8Array(await new Response(body).arrayBuffer());
        strictEqual(headers.get("content-length"), `${length}`);
        const connections: Deno.TcpConn[] = [];
        const grown = await growthDuring(service.pid, async () => {
          for (let count = 0; count < READERS; count++) {
            connections.push(await askAndLeaveUnread(service.url, path));
          }
        });
        for (const connection of connections) connection.close();
        ok(grown <= UNREAD_LIMIT, `${grown} MB`);
      });
    }
  },
);

Deno.test("for cancelled streams of HTTP/2, Deno prints the line of the documentation, and no other", async () => {
  const text = await Deno.readTextFile(join(projectFolder, ".docs/troubleshooting.md"));
  const [, printed = ""] = /^`(recv_reset[^`]*)`/m.exec(text) ?? [];
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, STORE_URL: "memory:", PUBLIC_READS: "1" },
  });
  using connection = await connectTo(service.url);
  const streams = Array.from({ length: 100 }, (_, index) => [
    frame(HEADERS, END, 2 * index + 1, fieldsOf(service.url, "/count")),
    frame(RESET, 0, 2 * index + 1, new Uint8Array([0, 0, 0, 8])),
  ]);
  await connection.write(
    await new Blob([PREFACE, frame(SETTINGS_FRAME, 0, 0), ...streams.flat()]).bytes(),
  );
  await service.waitForOutput(/recv_reset/);
  const response = await fetch(`${service.url}/count`);
  deepStrictEqual([response.status, (await response.json()).hits], [200, 0]);
  const { stderr } = await service.stop();
  const others = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  deepStrictEqual(others.map((line) => line.replace(/ \(\d+\)$/, "")), [printed]);
});

const encoder = new TextEncoder();
/** Types and flags of frames (RFC 9113, section 6). */
const [HEADERS, RESET, SETTINGS_FRAME, END, ACKNOWLEDGED] = [1, 3, 4, 5, 1];

/** The start of a connection. Frames follow, with those of settings first. */
const PREFACE = new Blob(["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]);

/** Sends requests for a path, and resolves when the heads of all responses have arrived. */
async function askAndLeaveUnread(url: string, path: string): Promise<Deno.TcpConn> {
  // Its initial window is 0, so that the server may not send any part of a body.
  const settings = new Uint8Array([0, 4, 0, 0, 0, 0]);
  const requests = Array.from(
    { length: REQUESTS },
    (_, index) => frame(HEADERS, END, 2 * index + 1, fieldsOf(url, path)),
  );
  const connection = await connectTo(url);
  const sent = new Blob([
    PREFACE,
    ...[frame(SETTINGS_FRAME, 0, 0, settings), frame(SETTINGS_FRAME, ACKNOWLEDGED, 0), ...requests],
  ]);
  await sent.stream().pipeTo(connection.writable, { preventClose: true });
  const reader = connection.readable.getReader({ mode: "byob" });
  const read = async (length: number) => {
    if (length === 0) return new Uint8Array();
    const { value } = await reader.read(new Uint8Array(length), { min: length });
    if (value?.length !== length) throw new Error("Read a frame: the connection ended");
    return value;
  };
  for (let heads = 0; heads < REQUESTS;) {
    const head = await read(9);
    const [high = 0, middle = 0, low = 0, type] = head;
    if (type === HEADERS) heads++;
    await read(high << 16 | middle << 8 | low);
  }
  reader.releaseLock();
  return connection;
}

function frame(type: number, flags: number, stream: number, payload = new Uint8Array()) {
  const head = new DataView(new ArrayBuffer(9));
  head.setUint16(1, payload.length);
  head.setUint8(3, type);
  head.setUint8(4, flags);
  head.setUint32(5, stream);
  return new Uint8Array([...new Uint8Array(head.buffer), ...payload]);
}

/** The fields of a GET: two of the static table, and two by their name in it (RFC 7541). */
function fieldsOf(url: string, path: string): Uint8Array<ArrayBuffer> {
  const text = (name: number, value: string) => [name, value.length, ...encoder.encode(value)];
  return new Uint8Array([0x82, 0x86, ...text(4, path), ...text(1, new URL(url).host)]);
}
