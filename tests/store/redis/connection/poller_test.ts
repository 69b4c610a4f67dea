import { strictEqual } from "node:assert/strict";
import { Poller } from "../../../../src/store/redis/connection/poller.ts";
import { waitFor } from "../../../support/wait_for.ts";

// A poll does not confirm a server that became ready after it began, so that server would take no hits.
Deno.test(
  "Poller: refreshAgain resolves with a poll that began after the call, even while another is under way",
  async () => {
    const polls: PromiseWithResolvers<boolean>[] = [];
    const poller = new Poller({
      intervalMs: Infinity,
      poll() {
        const result = Promise.withResolvers<boolean>();
        polls.push(result);
        return result.promise;
      },
    });
    const early = poller.refresh();
    const late = poller.refreshAgain().then(() => polls.length);
    polls[0]?.resolve(true);
    await early;
    await waitFor("the second poll", () => Promise.resolve(polls[1]));
    polls[1]?.resolve(true);
    strictEqual(await late, 2);
    await poller.stop();
  },
);
