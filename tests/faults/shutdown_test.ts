import { match, ok, strictEqual } from "node:assert/strict";
import { connectTo } from "../support/raw_http.ts";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { type Service, startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { Ledger } from "./ledger.ts";
import { SECRET } from "../support/secret.ts";
import { endUnderLoad, hitHead, openCallers, readAll, startCallers } from "./load.ts";
import { fullNumbers, timeLimit } from "../support/time_limit.ts";
import { times } from "../support/times.ts";
import { waitForHits } from "./recovery.ts";
import { storedInKv, storedInRedis } from "./stored.ts";

Deno.test("under 200 callers every accepted hit is answered and no other is counted", async () => {
  const runs = times(2, 10);
  await using folder = await tempDir();
  const ledger = new Ledger();
  for (let run = 1; run <= runs; run++) {
    await using service = await startService({ cwd: folder.path, env: { SECRET_TOKEN: SECRET } });
    await endUnderLoad({ service, ledger }, () => endOf(service, "SIGTERM", 10_000));
    ledger.checkAnswered(await storedInKv(folder.path));
  }
});

/** Connections that would keep a server waiting for ever. */
const leftOpen = [
  hitHead("idle"),
  hitHead("half").slice(0, 30),
  `POST /hit?id=stalled HTTP/1.1\r\nHost: a\r\nX-Auth-Token: ${SECRET}\r\nContent-Length: 9\r\n\r\nab`,
  "",
];

Deno.test("a stalled body, an idle connection and half a head hold nothing up past 10 s", async () => {
  await using folder = await tempDir();
  await using service = await startService({ cwd: folder.path, env: { SECRET_TOKEN: SECRET } });
  const stored = () => storedInKv(folder.path);
  await endsWithOpen(service, { signal: "SIGTERM", limit: 10_000, answersAll: true, stored });
});

Deno.test(
  "on Deno Deploy the process ends within its 5 s, whatever is left open",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using service = await startService({
      env: {
        SECRET_TOKEN: SECRET,
        STORE_URL: redis.url,
        DENO_DEPLOY: "true",
        // The platform chooses the address in this way.
        DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
      },
    });
    // In so short a time a busy machine may not get to answer all.
    const ending = { signal: "SIGINT", limit: 5000, answersAll: fullNumbers } as const;
    await endsWithOpen(service, { ...ending, stored: () => storedInRedis(redis) });
  },
);

interface Ending {
  readonly signal: Deno.Signal;
  /** Promised milliseconds until the end. */
  readonly limit: number;
  /** True if every hit that was counted must be acknowledged. */
  readonly answersAll: boolean;
  stored(): Promise<Map<string, number>>;
}

/** Ends a service under load whose connections are left open, and checks what it has counted. */
async function endsWithOpen(service: Service, { signal, limit, answersAll, stored }: Ending) {
  await using load = startCallers({ service, callers: 50 });
  const connections = await openAll(service);
  await waitForHits(load.ledger, 500);
  await endOf(service, signal, limit);
  closeAll(connections);
  await load.stop();
  const counters = await stored();
  for (const id of ["idle", "half", "stalled"]) counters.delete(id);
  if (answersAll) load.ledger.checkAnswered(counters);
  else load.ledger.check(counters);
}

Deno.test(
  "with Redis hung the hits that wait are answered, and the process ends within 10 s",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await using service = await startService({
      env: { SECRET_TOKEN: SECRET, STORE_URL: redis.url },
    });
    const ledger = new Ledger();
    await service.storeReady();
    const callers = await openCallers(service, 50);
    await redis.kill("SIGSTOP");
    // One hit of each: who calls again while the service ends finds it gone.
    const hits = callers.map(async (caller, index) => {
      const id = `c${index % 20}`;
      ledger.note(id, await caller.send(service.url, hitHead(id)));
      caller.close();
    });
    try {
      await readAll(service);
      await endOf(service, "SIGTERM", 10_000);
    } finally {
      await redis.kill("SIGCONT");
      await Promise.all(hits);
    }
    ledger.checkOutcomes(200, 503, 504);
    ledger.check(await storedInRedis(redis));
  },
);

const BODIES = [
  {
    line: "POST /counters",
    body: Array.from({ length: 2000 }, (_, at) => `{"id":"n${at}","hits":7}\n`).join(""),
    told: /Lines stored for sure: 2000\. It is safe to send all lines again/,
  },
  {
    line: "POST /counters?dry=1",
    body: '{"id":"dry","hits":7}\n',
    told: /shutting down\. Nothing was written/,
  },
  {
    line: "PUT /counters?id=put",
    body: '{"hits":7',
    told: /shutting down\. Nothing was changed/,
  },
];

Deno.test("requests whose body has not ended are answered with 503 and with what is stored", async () => {
  await using folder = await tempDir();
  await using service = await startService({ cwd: folder.path, env: { SECRET_TOKEN: SECRET } });
  using connections = new DisposableStack();
  const responses = await Promise.all(BODIES.map(async ({ line, body }) => {
    const connection = connections.use(await connectTo(service.url));
    await connection.write(
      new TextEncoder().encode(
        `${line} HTTP/1.1\r\nHost: a\r\nX-Auth-Token: ${SECRET}\r\nConnection: close\r\n` +
          `Content-Length: ${body.length + 1}\r\n\r\n${body}`,
      ),
    );
    return () => new Response(connection.readable).text();
  }));
  await readAll(service);
  service.signal("SIGTERM");
  const texts = await Promise.all(responses.map((read) => read()));
  for (const [index, { line, told }] of BODIES.entries()) {
    match(texts[index] ?? "", /^HTTP\/1\.1 503 [^]*retry-after: 1/, line);
    match(texts[index] ?? "", told, line);
  }
  strictEqual((await service.waitForEnd()).code, 0);
  const counters = await storedInKv(folder.path);
  strictEqual([...counters.values()].filter((hits) => hits === 7).length, 2000);
});

/** Sends the signal; fails unless the end is in good order and within the promised time. */
async function endOf(service: Service, signal: Deno.Signal, promisedMs: number): Promise<void> {
  const start = performance.now();
  const { code, stderr } = await service.stop(signal);
  strictEqual(code, 0, stderr);
  const milliseconds = performance.now() - start;
  ok(milliseconds <= timeLimit(promisedMs), `ended after ${milliseconds} ms`);
}

async function openAll(service: Service): Promise<Deno.TcpConn[]> {
  const connections = await Promise.all(leftOpen.map(async (text) => {
    const connection = await connectTo(service.url);
    await connection.write(new TextEncoder().encode(text));
    return connection;
  }));
  await readAll(service);
  return connections;
}

function closeAll(connections: Deno.TcpConn[]): void {
  for (const connection of connections) connection.close();
}
