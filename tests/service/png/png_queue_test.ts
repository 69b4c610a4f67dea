import { fail, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createPngQueue, type PngQueue } from "../../../src/png/png_queue.ts";
import { createLog } from "../../../src/log.ts";
import { nextTurn } from "../../../src/waiting.ts";
import { fakeClock } from "../../support/fake_clock.ts";
import { waitFor } from "../../support/wait_for.ts";

const PIXEL = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>`;
function openPngQueue(log: string[] = []): PngQueue & Disposable {
  const pngQueue = createPngQueue(createLog({ secrets: [], write: (line) => log.push(line) }));
  return { ...pngQueue, [Symbol.dispose]: pngQueue.close };
}

const render = (pngQueue: PngQueue, svg: string) => pngQueue.rasterize({ svg, scale: 1 });

Deno.test("of 20 different images at once, 16 are made and 4 are refused; a fixed one is made once, and before those that wait", async () => {
  using pngQueue = openPngQueue();
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, number) => render(pngQueue, `${PIXEL}<!--${number}-->`)),
  );
  const refused = results.filter(({ status }) => status === "rejected");
  strictEqual(refused.length, 4);
  for (const result of refused) {
    ok(result.status === "rejected" && result.reason.kind === "busy");
  }
  ok((await render(pngQueue, PIXEL)).length > 0);

  await pngQueue.notice("busy");
  const order: string[] = [];
  const waiting = Array.from(
    { length: 16 },
    (_, number) =>
      render(pngQueue, `${PIXEL}<!--waiting ${number}-->`).then(() => order.push("waiting")),
  );
  const tooMany = rejects(render(pngQueue, `${PIXEL}<!--refused-->`), { kind: "busy" });
  const [one, other] = await Promise.all([PIXEL, PIXEL].map((svg) => pngQueue.rasterizeFixed(svg)));
  order.push("fixed");
  strictEqual(one, other);
  await Promise.all([tooMany, ...waiting]);
  ok(order.indexOf("fixed") < order.lastIndexOf("waiting"), order.join());
});

Deno.test("the same image is made once, at each scale, while the cache has room", async () => {
  using pngQueue = openPngQueue();
  const same = await Promise.all(Array.from({ length: 50 }, () => render(pngQueue, PIXEL)));
  strictEqual(new Set(same).size, 1);
  strictEqual(await render(pngQueue, PIXEL), same[0]);
  notStrictEqual(await pngQueue.rasterize({ svg: PIXEL, scale: 2 }), same[0]);
  for (let number = 0; number < 100; number++) await render(pngQueue, `${PIXEL}<!--${number}-->`);
  notStrictEqual(await render(pngQueue, PIXEL), same[0]);
});

Deno.test("one that cannot be loaded makes the URLs of its scripts once", async () => {
  using pngQueue = openPngQueue();
  const { Worker, URL: { createObjectURL } } = globalThis;
  let urls = 0;
  try {
    URL.createObjectURL = (object) => {
      urls++;
      return createObjectURL(object);
    };
    globalThis.Worker = class extends EventTarget implements Worker {
      onerror = null;
      onmessage = null;
      onmessageerror = null;
      constructor() {
        super();
        throw new Error("no file descriptor");
      }
      postMessage() {}
      terminate() {}
    };
    for (const _ of [1, 2, 3]) await rejects(render(pngQueue, PIXEL), { kind: "no-png" });
  } finally {
    Object.assign(globalThis, { Worker });
    URL.createObjectURL = createObjectURL;
  }
  strictEqual(urls, 2);
  ok((await render(pngQueue, PIXEL)).length > 0);
});

Deno.test("an image that fails is refused and logged, so is one that takes longer than 2 s, and the next one is rendered, by the same worker after the slow one", async () => {
  // The queue pauses for as long as a job takes on its clock.
  await using _clock = fakeClock({ isStopped: true });
  const { Worker, setTimeout } = globalThis;
  const slow = `${PIXEL}<!--slow-->`;
  /** Ends the 2 s of the image that is made now, which a busy machine may need for any. */
  let passLimit: () => void = () => fail("It has no limit of 2 s");
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const begun: string[] = [];
  let workers = 0;
  Object.assign(globalThis, {
    setTimeout: (run: () => void, milliseconds?: number) => {
      if (milliseconds !== 2000) return setTimeout(run, milliseconds);
      passLimit = run;
    },
  });
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      workers++;
    }
    override postMessage(message: { svg?: string }) {
      begun.push(message.svg ?? "the parts");
      (message.svg === slow ? over : Promise.resolve()).then(() => super.postMessage(message));
    }
  };
  try {
    const log: string[] = [];
    using pngQueue = openPngQueue(log);
    await rejects(render(pngQueue, "<svg"), { kind: "busy" });
    strictEqual(log.length, 1);
    ok((await render(pngQueue, PIXEL)).length > 0);
    strictEqual(workers, 2);

    const refused = rejects(render(pngQueue, slow), { kind: "busy" });
    await waitFor("the slow one", () => begun.at(-1) === slow);
    passLimit();
    await refused;
    strictEqual(log.length, 2);
    const next = render(pngQueue, `${PIXEL}<!--next-->`);
    await nextTurn();
    strictEqual(begun.at(-1), slow);
    end();
    ok((await next).length > 0);
    strictEqual(workers, 2);
  } finally {
    Object.assign(globalThis, { Worker, setTimeout });
  }
});
