import { ok } from "node:assert/strict";
import { times } from "../../support/times.ts";
import { fuzz } from "./fuzz_run.ts";
import { STORES } from "./target.ts";

const REQUESTS = times(2500, 5000);

for (const [index, { store, options }] of STORES.entries()) {
  Deno.test(
    `the service on ${store} outlives ${REQUESTS} strange requests, and stores what it answered 200 to and nothing else`,
    options,
    async () => {
      // Requests of its own, because most of them never reach the store.
      const { sent, answers, counted } = await fuzz({ store, requests: REQUESTS, seed: index + 1 });
      // Most of them must have got somewhere, or nothing was tried.
      ok(sent >= REQUESTS && counted > REQUESTS / 10, JSON.stringify({ sent, counted, answers }));
    },
  );
}
