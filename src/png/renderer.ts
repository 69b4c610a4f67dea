import { BoundedMap } from "../bounded_map.ts";
import { errorBadge } from "../badge/drawings.ts";
import { loadOnce } from "../load_once.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import type { Painter, PainterParts, PaintJob } from "./painter.ts";

type Png = Uint8Array<ArrayBuffer>;

/** Maximum number of requests that wait for a PNG. */
const MAX_WAITING = 16;
/** Capacity of the cache of finished PNGs, of which the largest have 200 kB and most have 10. */
const CACHE_SIZE = 50;
/** Time that one PNG may take, in milliseconds. */
const RENDER_LIMIT_MS = 2000;
/** Time that the first PNG of a worker may take. The worker starts on a busy processor, too. */
const START_LIMIT_MS = 10_000;
/** Pause after a PNG while others wait, as a multiple of its time. Hits get the processor. */
const PAUSE_FACTOR = 4;
/** Delay of a refusal, in milliseconds. Slows down clients that retry at once. */
const REFUSAL_DELAY_MS = 500;
/** Pixels of a fixed PNG for each pixel of its SVG image. */
const FIXED_SCALE = 2;

/** Renders PNGs one at a time, and loads what this needs at the first one. */
export type Renderer = ReturnType<typeof createRenderer>;

/** Creates a renderer that loads nothing yet. */
export function createRenderer(log: Log) {
  let engine: ReturnType<typeof createEngine> | undefined;
  const finished = new BoundedMap<string, Png>(CACHE_SIZE);
  /** The PNGs that were asked for and are not finished. */
  const unfinished = new Map<string, Promise<Png>>();
  /** The fixed PNGs by their SVG texts. */
  const fixed = new Map<string, Promise<Png>>();
  const turns: (() => Promise<void>)[] = [];
  let isRunning = false;
  let hasLoggedFailure = false;

  const load = loadOnce(async () => {
    // Kept if the rest fails, because each engine has URLs of its own.
    const { paint } = engine ??= createEngine(await import("./tallymark-png.js"));
    const draw = (badge: string, detail: string) =>
      paint({ svg: errorBadge({ badge, detail }), scale: FIXED_SCALE });
    const busy = await draw("busy", new Problem("busy").detail);
    // These are rendered now, because they are sent when the renderer fails.
    return { paint, busy, counted: await draw("counted", "The hit was counted.") };
  });

  const loaded = () =>
    load().catch((cause) => {
      if (!hasLoggedFailure) log.error("PNG renderer not loaded", { cause });
      hasLoggedFailure = true;
      throw new Problem("no-png", { cause });
    });

  /** Renders a PNG in its turn, which comes before those of others if it is urgent. */
  function takeTurn(job: PaintJob, paint: Painter, isUrgent: boolean): Promise<Png> {
    const { promise, resolve, reject } = Promise.withResolvers<Png>();
    turns[isUrgent ? "unshift" : "push"](() =>
      paint(job).then(resolve, (cause) => {
        log.error("PNG not rendered, renderer restarted", { cause });
        reject(new Problem("busy", { cause }));
      })
    );
    if (!isRunning) runTurns();
    return promise;
  }

  async function runTurns(): Promise<void> {
    isRunning = true;
    for (let turn; (turn = turns.shift()) !== undefined;) {
      const start = performance.now();
      await turn();
      if (turns.length > 0) await pause(PAUSE_FACTOR * (performance.now() - start));
    }
    isRunning = false;
  }

  return {
    /**
     * Resolves with the PNG of an SVG document, which takes a place in the queue unless it was
     * rendered before. Hits are urgent, because image proxies wait a few seconds only. Rejects with
     * `busy` if all places are taken or the renderer fails, and with `no-png` if the renderer
     * cannot be loaded.
     */
    async render(job: PaintJob, isUrgent = false): Promise<Png> {
      const { paint } = await loaded();
      const name = `${job.scale} ${job.svg}`;
      const known = finished.get(name) ?? unfinished.get(name);
      if (known !== undefined) return known;
      if (unfinished.size >= MAX_WAITING) {
        await pause(REFUSAL_DELAY_MS);
        throw new Problem("busy");
      }
      const png = takeTurn(job, paint, isUrgent)
        .then((png) => {
          finished.set(name, png);
          return png;
        })
        .finally(() => unfinished.delete(name));
      unfinished.set(name, png);
      return png;
    },
    /**
     * Resolves with the PNG of one of a few SVG documents, which is rendered once and takes no
     * place. Rejects like `render`.
     */
    async renderFixed(svg: string): Promise<Png> {
      const { paint } = await loaded();
      const png = fixed.get(svg) ?? takeTurn({ svg, scale: FIXED_SCALE }, paint, true);
      fixed.set(svg, png);
      return png.catch((error) => {
        fixed.delete(svg);
        throw error;
      });
    },
    /** Resolves with the PNG that says so. Rejects with `no-png` like `render`. */
    notice: async (text: "busy" | "counted"): Promise<Png> => (await loaded())[text],
    /** Ends the worker. */
    close: (): void => engine?.close(),
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Creates an engine in a worker, or in this thread on platforms without workers. */
function createEngine(
  { createPainter, parts, glue, script }: typeof import("./tallymark-png.js"),
): { paint: Painter; close: () => void } {
  if (typeof Worker === "undefined") {
    const painter = createPainter(parts);
    return { paint: async (job) => (await painter)(job), close() {} };
  }
  const glueUrl = moduleUrl(glue);
  const url = moduleUrl(script.replace("@resvg/resvg-wasm", () => glueUrl));
  let current: Worker | undefined;

  async function paint(job: PaintJob): Promise<Png> {
    const limit = current === undefined ? START_LIMIT_MS : RENDER_LIMIT_MS;
    const worker = current ??= startWorker(url, parts);
    const { promise, resolve, reject } = Promise.withResolvers<Png>();
    const timer = setTimeout(() => reject(new Error("Timed out")), limit);
    worker.onmessage = ({ data }: MessageEvent<Png>) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.postMessage(job);
    try {
      return await promise;
    } catch (error) {
      // Its next answer would belong to this job. The next job starts another worker.
      worker.terminate();
      current = undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return { paint, close: () => current?.terminate() };
}

function moduleUrl(script: string): string {
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

/** Free file descriptors that a worker requires. It takes seven, and others may be taken. */
const FREE_DESCRIPTORS = 16;

function startWorker(url: string, parts: PainterParts): Worker {
  // Deno 2.9 ends the process if a new worker gets no file descriptor, so check that some are free.
  if (Deno.permissions.querySync({ name: "net", host: "127.0.0.1" }).state === "granted") {
    using sockets = new DisposableStack();
    for (let count = 0; count < FREE_DESCRIPTORS; count++) {
      sockets.use(Deno.listen({ hostname: "127.0.0.1", port: 0 }));
    }
  }
  const worker = new Worker(url, { type: "module" });
  worker.postMessage(parts);
  return worker;
}
