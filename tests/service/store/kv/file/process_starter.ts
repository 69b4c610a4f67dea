/// <reference lib="deno.worker" />
// A worker that starts a hundred processes, one after the other, and then says so.
for (let started = 0; started < 100; started++) await new Deno.Command("true").output();
self.postMessage("over");
