// Sends a million strange requests, half to a service over Deno KV and half to one over Redis;
// takes several minutes. Another number and seed may be given: fuzz.ts 50000 7.
import { fuzz } from "./fuzz_run.ts";
import { STORES } from "./target.ts";

const [requests = 1_000_000, seed = Date.now() % 1_000_000] = Deno.args.map(Number);
for (const { store } of STORES) {
  console.log(`${store}: ${requests / STORES.length} requests, seed ${seed}`);
  const report = await fuzz({ store, requests: requests / STORES.length, seed });
  console.log(`${store}: ${JSON.stringify(report)}`);
}
