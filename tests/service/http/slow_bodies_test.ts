import { ok, strictEqual } from "node:assert/strict";
import { growthDuring } from "../../bench/sizes.ts";
import { connectTo, parseAnswers } from "../../support/raw_http.ts";
import { SECRET } from "../../support/secret.ts";
import { type Service, startService } from "../../support/service.ts";

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
    const clap = async () => {
      const response = await fetch(`${service.url}${CLAPS}`, {
        ...{ method: "POST", body: "1", headers: READER },
      });
      return await response.json();
    };
    strictEqual(await clap(), 1);
    const connections: Deno.TcpConn[] = [];
    const grown = await growthDuring(service.pid, async () => {
      for (let count = 0; count < CONNECTIONS; count++) {
        connections.push(await beginPost(service, CLAPS));
      }
      strictEqual(await clap(), 2);
    });
    ok(grown <= LIMIT, `${grown} MB`);
    const statuses = await Promise.all(connections.map(statusOf));
    strictEqual(statuses.filter((status) => status === 400).length, CONNECTIONS);
    strictEqual(await clap(), 3);
  },
);

Deno.test("a body that is too long, or that a stranger may not send, is refused before it arrives", async () => {
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, ...SETTINGS },
  });
  const other = CLAPS.replace("blog.example", "other.example");
  strictEqual(await statusOf(await beginPost(service, other)), 401);
  strictEqual(await statusOf(await beginPost(service, CLAPS, 16_385)), 400);
  strictEqual(await statusOf(await beginPost(service, "/as/applause/get-multiple")), 401);
  strictEqual(await statusOf(await beginPost(service, "/as/leancloud/1.1/batch")), 401);
});

/** Sends a request with the first byte of its body only. */
async function beginPost({ url }: Service, path: string, length = 10_000): Promise<Deno.TcpConn> {
  const connection = await connectTo(url);
  const request = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-LC-Id: blog\r\n` +
    `User-Agent: ${READER["user-agent"]}\r\nContent-Length: ${length}\r\n\r\n1`;
  await connection.write(new TextEncoder().encode(request));
  return connection;
}

/** Resolves with the status of the response, and closes the connection. */
async function statusOf(connection: Deno.TcpConn): Promise<number | undefined> {
  using open = connection;
  const buffer = new Uint8Array(4096);
  const length = await open.read(buffer);
  return parseAnswers(buffer.subarray(0, length ?? 0), { head: true, ended: true })[0]?.status;
}
