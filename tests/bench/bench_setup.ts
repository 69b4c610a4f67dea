import { join } from "node:path";
import { projectFolder } from "../support/programs.ts";
import { sendRaw } from "../support/raw_http.ts";
import { type RedisServer, startRedis } from "../support/redis_server.ts";
import { type Service, startService } from "../support/service.ts";
import { pathOf } from "./load.ts";
import { prefillKv, prefillRedis } from "./prefill.ts";
import type { Row, StoreName } from "./rows.ts";
import { serviceEnv, startScript } from "./servers.ts";

/** The addresses of the limit: with all headers, and with one. */
export type Limit = { whole: string; oneHeader: string };

/** Minimum number of ids in a store before it is measured. */
const FEWEST_IDS = 10_000;

/**
 * Everything that is measured, each process started when it is first asked for and kept until the
 * end.
 */
export class Arena {
  readonly #stack: AsyncDisposableStack;
  readonly #folder: string;
  readonly #project: string;
  readonly #started = new Map<string, Promise<unknown>>();

  /** The service is that of this project, unless another checkout of it is given. */
  constructor(stack: AsyncDisposableStack, folder: string, project = projectFolder) {
    this.#stack = stack;
    this.#folder = folder;
    this.#project = project;
  }

  /** The address of the service on a store that holds the ids of this row. */
  async service(store: StoreName, row: Row): Promise<string> {
    return (await this.process(store, row)).url;
  }

  /** The process of that service. */
  process(store: StoreName, { shape: { ids } }: Row): Promise<Service> {
    const held = Math.max(ids, FEWEST_IDS);
    return this.#once(`${store} ${held}`, async () => {
      const cwd = join(this.#folder, `${store}-${held}`);
      await Deno.mkdir(cwd);
      if (store === "deno-kv") await prefillKv(cwd, held);
      const redis = store === "redis" ? await this.#redis(held) : undefined;
      const wrap = (line: string[]) =>
        line.map((part) => part.replace(projectFolder, this.#project));
      return this.#stack.use(await startService({ cwd, wrap, env: serviceEnv(redis?.url) }));
    });
  }

  /** The address of what counts one hit at a time on a store like that. */
  yardstick(store: StoreName, { shape: { ids } }: Row): Promise<string> {
    const held = Math.max(ids, FEWEST_IDS);
    return this.#once(`yardstick ${store} ${held}`, async () => {
      const script = store === "deno-kv" ? "kv_yardstick.ts" : "redis_yardstick.ts";
      const place = await this.place(store, held);
      return this.#stack.use(await startScript(script, { args: [place] })).url;
    });
  }

  /**
   * The addresses of bare servers that give the answer which the service at `url` gives in this
   * row.
   */
  async limit(row: Row, url: string): Promise<Limit> {
    const service = await this.limitProcess(row, url);
    const [whole = "", oneHeader = ""] = service.stdout().trim().split(" ");
    return { whole, oneHeader };
  }

  /** The process of these servers. */
  limitProcess(row: Row, url: string): Promise<Service> {
    return this.#once(`limit ${row.name}`, async () => {
      return this.#stack.use(await startScript("limit.ts", { args: [await responseOf(row, url)] }));
    });
  }

  /** A file of its own for Deno KV, or the address of the Redis that holds so many ids. */
  async place(store: StoreName, held = FEWEST_IDS): Promise<string> {
    if (store === "redis") return (await this.#redis(held)).url;
    return join(this.#folder, `${crypto.randomUUID()}.kv`);
  }

  #redis(held: number): Promise<RedisServer> {
    return this.#once(`redis-server ${held}`, async () => {
      const redis = this.#stack.use(await startRedis());
      await prefillRedis(redis, held);
      return redis;
    });
  }

  #once<T>(name: string, start: () => Promise<T>): Promise<T> {
    // Each name is given to one kind of thing only.
    const started = this.#started.get(name) as Promise<T> | undefined;
    if (started !== undefined) return started;
    const starting = start();
    this.#started.set(name, starting);
    return starting;
  }
}

/** Returns the response of the service at `url` to a row's request, as JSON for a bare server. */
export async function responseOf({ name, shape }: Row, url: string): Promise<string> {
  const [request] = shape.requests;
  if (request === undefined) throw new Error(`${name} has no request`);
  const lines = Object.entries({ Host: "localhost", ...request.headers });
  const fields = lines.map(([key, value]) => `${key}: ${value}\r\n`).join("");
  const head = `${request.method} ${pathOf(request, "n1")} HTTP/1.1\r\n${fields}\r\n`;
  const [response] = await sendRaw({ url }, head);
  if (response?.status !== 200) throw new Error(`${name} answers ${response?.status}`);
  const headers = Object.fromEntries(response.headers);
  // Deno adds these by itself.
  delete headers["date"];
  delete headers["content-length"];
  return JSON.stringify({ body: response.body, headers });
}
