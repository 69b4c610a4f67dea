import { deepStrictEqual } from "node:assert/strict";
import { connectTo, sendRaw } from "../../support/raw_http.ts";
import { SECRET } from "../../support/secret.ts";
import { type Service, startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait_for.ts";

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
