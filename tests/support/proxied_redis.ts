import { SECRET } from "./secret.ts";
import { type LocalService, startLocalService } from "./local_service.ts";
import { type RedisOptions, type RedisServer, startRedis } from "./redis_server.ts";
import { startProxy, type TcpProxy } from "./tcp_proxy.ts";

/** A redis-server and the way to it, which fails on demand. */
export interface ProxiedRedis extends AsyncDisposable {
  readonly redis: RedisServer;
  readonly proxy: TcpProxy;
  /** The address for `STORE_URL`, which leads through the proxy. */
  readonly url: string;
}

/** Starts a redis-server and a proxy before it; both end when disposed of. */
export async function startProxiedRedis(options: RedisOptions = {}): Promise<ProxiedRedis> {
  const redis = await startRedis(options);
  const proxy = startProxy(redis);
  return {
    redis,
    proxy,
    url: proxy.through(redis.url),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

/** Starts a service in this process on a Redis behind a proxy; all end when disposed of. */
export async function startProxiedService(): Promise<
  Omit<ProxiedRedis, "url"> & { readonly service: LocalService }
> {
  await using stack = new AsyncDisposableStack();
  const { redis, proxy, url } = stack.use(await startProxiedRedis());
  const service = stack.use(await startLocalService({ SECRET_TOKEN: SECRET, STORE_URL: url }));
  const all = stack.move();
  return { redis, proxy, service, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
