import { rejects, strictEqual } from "node:assert/strict";
import { linkTo } from "../../support/redis_link.ts";
import { needsRedis, startRedis } from "../../support/redis_server.ts";
import { FAR_AWAY_MS } from "../../support/time_limit.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test(
  "scanNode: a list that the server was restarted under fails, as its cursor means something else now",
  needsRedis,
  async () => {
    await using redis = await startRedis();
    await redis.commands(Array.from({ length: 1000 }, (_, at) => ["SET", `hits:${at}`, "1"]));
    await redis.command("SAVE");
    const link = await linkTo(redis.url);
    const pages = link.scan("hits:")[Symbol.asyncIterator]();
    strictEqual((await pages.next()).done, false);
    await redis.kill();
    await redis.start();
    await waitFor(
      "a new connection",
      () =>
        link.send([["GET", "hits:1"]]).then(([reply]) => reply?.kind === "done" || undefined)
          .catch(() => undefined),
      { timeout: FAR_AWAY_MS },
    );
    await rejects(async () => {
      for (;;) if ((await pages.next()).done === true) break;
    }, { kind: "store-unavailable" });
    await link.close();
  },
);
