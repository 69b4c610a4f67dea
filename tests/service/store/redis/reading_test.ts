import { deepStrictEqual } from "node:assert/strict";
import { connected, storeOn } from "../../../support/redis_backend.ts";
import { linkTo } from "../../../support/redis_link.ts";
import { needsRedis, startRedis } from "../../../support/redis_server.ts";

for (const since of [undefined, -Infinity]) {
  const what = since === undefined ? "totals" : "days";
  Deno.test(
    `a list of ${what} leaves out a counter that was deleted after its key was listed`,
    needsRedis,
    async () => {
      await using redis = await startRedis();
      await redis.command("MSET", "hits:deleted", "5", "hits:kept", "0", "hits:other", "text");
      const link = await linkTo(redis.url);
      const store = await storeOn({
        connectedAt: 0,
        multiKeyAcrossSlots: link.multiKeyAcrossSlots,
        send: (commands) => link.send(commands),
        shards: (prefix) => link.shards(prefix),
        async *scan(prefix) {
          for await (const keys of link.scan(prefix)) {
            await redis.command("DEL", "hits:deleted");
            yield keys;
          }
        },
        close: () => link.close(),
      });
      await connected(store);
      const pages = await Array.fromAsync(store.list({ prefix: "", since }));
      deepStrictEqual(pages, [{
        counters: [{ id: "kept", hits: 0, days: undefined }],
        foreign: 1,
      }]);
      await store.close();
    },
  );
}
