import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
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

const render = (renderer: Renderer, svg: string) =>
  renderer.withPlace((render) => render({ svg, scale: 1 }));

Deno.test("renderer: of 20 requests at once, 16 are rendered and 4 are refused without a call", async () => {
  using renderer = openRenderer();
  let calls = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () =>
      renderer.withPlace((render) => {
        calls++;
        return render({ svg: PIXEL, scale: 1 });
      })),
  );
  const refused = results.filter(({ status }) => status === "rejected");
  deepStrictEqual([calls, refused.length], [16, 4]);
  for (const result of refused) {
    ok(result.status === "rejected" && result.reason.kind === "busy");
  }
  ok((await render(renderer, PIXEL)).length > 0);
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
