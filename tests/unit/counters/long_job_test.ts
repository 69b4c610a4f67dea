import { ok, strictEqual } from "node:assert/strict";
import { LongJob } from "../../../src/counters/long_job.ts";

Deno.test("the event loop turns after each piece, and there is no pause if no calls arrived", async () => {
  const job = new LongJob(() => 0);
  let turned = false;
  setImmediate(() => turned = true);
  waitBusy(100);
  const began = performance.now();
  strictEqual(await job.endPiece(), false);
  ok(turned);
  ok(performance.now() - began < 300);
});

Deno.test("if calls arrived during a piece it pauses three times as long as the piece took, up to 300 ms", async () => {
  let calls = 0;
  const job = new LongJob(() => calls);
  for (const [pieceMs, atLeast] of [[20, 60], [150, 300]] as const) {
    job.beginPiece();
    calls++;
    waitBusy(pieceMs);
    const began = performance.now();
    strictEqual(await job.endPiece(), true);
    const paused = performance.now() - began;
    ok(paused >= atLeast - 1, `${paused} ms after ${pieceMs} ms`);
  }
  strictEqual(await job.endPiece(), false);
});

Deno.test("it pauses no longer than it may in all", async () => {
  let calls = 0;
  const job = new LongJob(() => calls++, 50);
  waitBusy(100);
  const began = performance.now();
  strictEqual(await job.endPiece(), true);
  ok(performance.now() - began < 300);
});

/** Keeps the event loop busy, as a piece does. */
function waitBusy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
