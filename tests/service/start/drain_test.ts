import { strictEqual } from "node:assert/strict";
import { Caller } from "../../faults/caller.ts";
import { type Service, startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait_for.ts";

const SECRET_TOKEN = "0123456789abcdef0123";

Deno.test("whoever calls again and again is told to go before the connection ends", async () => {
  // The farewell lasts a moment: a machine too busy for them to call again within it tells nothing.
  await waitFor("callers who were all told", async () => {
    const ends = await endsOfCallers(20);
    return ends.every((end) => end === "told") || undefined;
  });
});

/** Returns the outcome of each caller of a service that was stopped. */
async function endsOfCallers(callers: number): Promise<string[]> {
  await using service = await startService({ env: { SECRET_TOKEN, STORE_URL: "memory:" } });
  const calling = Promise.withResolvers<void>();
  const ends = Array.from({ length: callers }, () => callUntilTold(service, calling.resolve));
  await calling.promise;
  await stopping(service);
  const ended = await Promise.all(ends);
  strictEqual((await service.waitForEnd()).code, 0);
  return ended;
}

/** Reads over one connection until an answer says that it is the last; tells how that ended. */
async function callUntilTold(service: Service, onAnswer: () => void): Promise<string> {
  const caller = new Caller();
  for (;;) {
    const { kind, answer } = await caller.send(service.url, HEAD);
    if (kind !== "answered") return kind;
    onAnswer();
    if (answer?.headers.get("connection") === "close") return "told";
  }
}

const HEAD = `GET /count HTTP/1.1\r\nHost: a\r\nX-Auth-Token: ${SECRET_TOKEN}\r\n\r\n`;

async function stopping(service: Service): Promise<void> {
  service.signal("SIGTERM");
  await service.waitForOutput(/"event":"stop"/);
}
