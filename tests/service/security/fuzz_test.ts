import { ok } from "node:assert/strict";
import { fuzz } from "./fuzz_run.ts";
import { STORES } from "./target.ts";

for (const { store, options } of STORES) {
  Deno.test(
    `the service on ${store} outlives 10,000 strange requests, and stores what it answered 200 to and nothing else`,
    options,
    async () => {
      const { sent, answers, counted } = await fuzz({ store, requests: 10_000, seed: 1 });
      // Most of them must have got somewhere, or nothing was tried.
      ok(sent >= 10_000 && counted > 1000, JSON.stringify({ sent, counted, answers }));
    },
  );
}
