// One commit or one INCR after the other, without HTTP; prints the median in milliseconds.
// Its arguments are "deno-kv" and a file, or "redis" and an address; and for how many seconds.
import { createClient } from "@redis/client";
import { median } from "./median.ts";

const [store, place = "", seconds = "3"] = Deno.args;
const times: number[] = [];
const { addOne, close } = store === "redis" ? await redis() : await denoKv();
const end = performance.now() + Number(seconds) * 1000;
while (performance.now() < end) {
  const start = performance.now();
  await addOne();
  times.push(performance.now() - start);
}
await close();
console.log(median(times));

async function denoKv() {
  const kv = await Deno.openKv(place);
  let total = 0n;
  return {
    addOne: () => kv.set(["hits:", "n1"], new Deno.KvU64(++total)),
    close: () => Promise.resolve(kv.close()),
  };
}

async function redis() {
  const client = createClient({ url: place, RESP: 2 });
  await client.connect();
  return { addOne: () => client.incr("n1"), close: () => client.close() };
}
