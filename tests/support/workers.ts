import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "./programs.ts";
import { authorized } from "./secret.ts";
import { drained, type Service, type ServiceOptions } from "./service.ts";
import { waitFor } from "./wait_for.ts";

/** Waits until each worker has opened its store. Until then it answers hits with 503. */
export async function haveStores(service: Service, count: number, headers = {}): Promise<void> {
  const ready = new Set<string>();
  await waitFor("the stores of all workers", async () => {
    await drained(await send(service, "/readyz"));
    const text = await (await send(service, "/metrics", { headers })).text();
    const [, worker] = /\{worker="(.*)",endpoint="\/readyz",status="200"\}/.exec(text) ?? [];
    if (worker !== undefined) ready.add(worker);
    return ready.size === count;
  });
}

/** Returns options that start the entry for `deno serve` where other tests start main.ts. */
export function serving(
  workers: number,
  env: Record<string, string>,
  entry = join(projectFolder, "src", "serve.ts"),
): ServiceOptions {
  return {
    env: { PORT: "", HOST: "", DENO_JOBS: String(workers), ...env },
    wrap: ([deno = "", _run, ...rest]) => {
      const flags = rest.filter((word) => !/\.[jt]s$/.test(word));
      return [deno, "serve", "--parallel", "--host", "127.0.0.1", "--port", "0", ...flags, entry];
    },
  };
}

/** Sends a request with the secret over a connection of its own, which any worker may accept. */
export function send(service: Service, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...authorized, connection: "close", ...init.headers };
  return fetch(service.url + path, { ...init, headers });
}

/** Sends a request as `send` does, and returns the JSON of its response, which is 200. */
export async function json(service: Service, path: string, init?: RequestInit) {
  const response = await send(service, path, init);
  strictEqual(response.status, 200);
  return await response.json();
}
