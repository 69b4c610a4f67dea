import { notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createRenderer, type Renderer } from "../../../src/png/renderer.ts";
import { createLog } from "../../../src/log.ts";

const PIXEL = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>`;
/** Takes far longer than two seconds. */
const SLOW = `<svg xmlns="http://www.w3.org/2000/svg" width="2880" height="1200">` +
  `<filter id="f"><feGaussianBlur stdDeviation="40"/></filter>` +
  `${`<rect filter="url(#f)" width="2880" height="1200"/>`.repeat(500)}</svg>`;

function openRenderer(log: string[] = []): Renderer & Disposable {
  const renderer = createRenderer(createLog({ secrets: [], write: (line) => log.push(line) }));
  return { ...renderer, [Symbol.dispose]: renderer.close };
}

const render = (renderer: Renderer, svg: string) => renderer.render({ svg, scale: 1 });

Deno.test("renderer: of 20 different images at once, 16 are rendered and 4 are refused", async () => {
  using renderer = openRenderer();
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, number) => render(renderer, `${PIXEL}<!--${number}-->`)),
  );
  const refused = results.filter(({ status }) => status === "rejected");
  strictEqual(refused.length, 4);
  for (const result of refused) {
    ok(result.status === "rejected" && result.reason.kind === "busy");
  }
  ok((await render(renderer, PIXEL)).length > 0);
});

Deno.test("renderer: the same image is rendered once, at each scale, while the cache has room", async () => {
  using renderer = openRenderer();
  const same = await Promise.all(Array.from({ length: 50 }, () => render(renderer, PIXEL)));
  strictEqual(new Set(same).size, 1);
  strictEqual(await render(renderer, PIXEL), same[0]);
  notStrictEqual(await renderer.render({ svg: PIXEL, scale: 2 }), same[0]);
  for (let number = 0; number < 100; number++) await render(renderer, `${PIXEL}<!--${number}-->`);
  notStrictEqual(await render(renderer, PIXEL), same[0]);
});

Deno.test("renderer: one that cannot be loaded makes the URLs of its scripts once", async () => {
  using renderer = openRenderer();
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
    for (const _ of [1, 2, 3]) await rejects(render(renderer, PIXEL), { kind: "no-png" });
  } finally {
    Object.assign(globalThis, { Worker });
    URL.createObjectURL = createObjectURL;
  }
  strictEqual(urls, 2);
  ok((await render(renderer, PIXEL)).length > 0);
});

Deno.test("renderer: a fixed image is rendered once, and before those that wait for a place", async () => {
  using renderer = openRenderer();
  await renderer.notice("busy");
  const order: string[] = [];
  const waiting = Array.from(
    { length: 16 },
    (_, number) => render(renderer, `${PIXEL}<!--${number}-->`).then(() => order.push("waiting")),
  );
  const refused = rejects(render(renderer, `${PIXEL}<!--16-->`), { kind: "busy" });
  const [one, other] = await Promise.all([PIXEL, PIXEL].map((svg) => renderer.renderFixed(svg)));
  order.push("fixed");
  strictEqual(one, other);
  await Promise.all([refused, ...waiting]);
  ok(order.indexOf("fixed") < order.lastIndexOf("waiting"), order.join());
});

Deno.test("renderer: an image that fails is refused and logged, and the next one is rendered", async () => {
  const log: string[] = [];
  using renderer = openRenderer(log);
  await rejects(render(renderer, "<svg"), { kind: "busy" });
  strictEqual(log.length, 1);
  ok((await render(renderer, PIXEL)).length > 0);
});

Deno.test("renderer: an image that takes longer than 2 s is refused, and the next one is rendered", async () => {
  using renderer = openRenderer();
  ok((await render(renderer, PIXEL)).length > 0);
  const start = performance.now();
  await rejects(render(renderer, SLOW), { kind: "busy" });
  ok(performance.now() - start >= 1900);
  ok((await render(renderer, PIXEL)).length > 0);
});
