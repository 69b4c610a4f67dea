import { strictEqual } from "node:assert/strict";
import { Inquiry } from "../../../src/store/redis/inquiry.ts";
import { waitFor } from "../../support/wait_for.ts";

// A server that became ready since the question was asked is not confirmed by its answer, and takes no hits.
Deno.test(
  "Inquiry: askAnew resolves with the answer to a question that was asked after the call, also while another is under way",
  async () => {
    const asked: PromiseWithResolvers<boolean>[] = [];
    const inquiry = new Inquiry({
      calmMs: Infinity,
      ask() {
        const question = Promise.withResolvers<boolean>();
        asked.push(question);
        return question.promise;
      },
    });
    const early = inquiry.ask();
    const late = inquiry.askAnew().then(() => asked.length);
    asked[0]?.resolve(true);
    await early;
    await waitFor("the second question", () => Promise.resolve(asked[1]));
    asked[1]?.resolve(true);
    strictEqual(await late, 2);
    await inquiry.end();
  },
);
