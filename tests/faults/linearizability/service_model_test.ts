import { times } from "../../support/times.ts";
import { startKvConnect } from "../../support/kv_connect.ts";
import { startProxiedRedis } from "../../support/proxied_redis.ts";
import { needsRedis } from "../../support/redis_server.ts";
import { startProxy } from "../../support/tcp_proxy.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { TIME_ZONE } from "../../support/time_zones.ts";
import { openRoom } from "./service_harness.ts";

Deno.test(
  "three services on one Redis agree with the model, whatever is cut, lost or killed",
  needsRedis,
  () =>
    inRooms(times(1, 3), async () => {
      await using proxied = await startProxiedRedis({
        args: ["--appendonly", "yes", "--appendfsync", "always"],
      });
      const { redis, proxy, url } = proxied;
      await using room = await openRoom([TIME_ZONE, TIME_ZONE, TIME_ZONE], {
        env: { STORE_URL: url },
        processes: [1],
      });
      await room.under([
        () => proxy.cut(),
        () => proxy.cutAfterNextRequest(),
        () => proxy.cutAfterNextRequest("EVAL"),
        async () => {
          await redis.kill("SIGKILL");
          await redis.start();
        },
        () => room.restart(1, "SIGKILL"),
        () => room.restart(2, "SIGTERM"),
      ]);
    }),
);

Deno.test("a process on a Deno KV file agrees with the model, however often it is killed", () =>
  inRooms(times(1, 3), async () => {
    await using folder = await tempDir();
    await using room = await openRoom([TIME_ZONE], { env: {}, cwd: folder.path, processes: [0] });
    await room.under(again(times(1, 2), [
      () => room.restart(0, "SIGKILL"),
      () => room.restart(0, "SIGTERM"),
    ]));
  }));

Deno.test("two services on one shared Deno KV agree with the model, whatever is cut, lost or killed", () =>
  inRooms(times(1, 3), async () => {
    await using server = startKvConnect();
    await using proxy = startProxy(server);
    const STORE_URL = `kv:${proxy.through(server.url)}`;
    const env = { STORE_URL, DENO_KV_ACCESS_TOKEN: server.token };
    await using room = await openRoom([TIME_ZONE, TIME_ZONE], { env, processes: [1] });
    await room.under([
      ...again(2, [
        () => server.loseNextAnswer({ as: "status" }),
        () => server.loseNextAnswer({ as: "body" }),
        () => proxy.cut(),
      ]),
      () => room.restart(1, "SIGKILL"),
    ]);
  }));

Deno.test("two services on one shared Deno KV whose commits conflict all the time agree with the model", async () => {
  await using server = startKvConnect();
  const env = { STORE_URL: `kv:${server.url}`, DENO_KV_ACCESS_TOKEN: server.token };
  await using room = await openRoom([TIME_ZONE, TIME_ZONE], { env });
  // No fault, so that nearly all is known of what is done: many callers of few counters, at both at
  // once.
  await room.under(again(times(3, 100), [() => {}]), { callers: 9, ids: ["a", "b", "c"] });
});

/**
 * Each room is a new service, because an operation without a response stays possible until the end
 * and multiplies the orders to try.
 */
async function inRooms(count: number, play: () => Promise<void>): Promise<void> {
  for (let room = 0; room < count; room++) await play();
}

/** Returns `rounds` copies of the faults. */
function again<Fault>(rounds: number, faults: readonly Fault[]): readonly Fault[] {
  return Array.from({ length: rounds }, () => faults).flat();
}
