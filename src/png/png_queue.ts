import { BoundedMap } from "../bounded_map.ts";
import { errorBadge } from "../badge/drawings.ts";
import { loadOnce, pause, withTimeout } from "../waiting.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import type { Rasterize, RasterizerParts, RasterJob } from "./rasterizer.ts";

type Png = Uint8Array<ArrayBuffer>;
type Pngs = BoundedMap<string, Promise<Png>>;

/** Maximum number of requests that wait for a PNG. */
const MAX_WAITING = 16;
/** Capacity of the cache of PNGs, of which the largest have 200 kB and most have 10. */
const CACHE_SIZE = 50;
/** Time that one PNG may take, in milliseconds. */
const RASTER_LIMIT_MS = 2000;
/** Time that the first PNG may wait for the worker, which starts on a busy processor, too. */
const START_LIMIT_MS = 10_000;
/** Pause after a PNG while others wait, as a multiple of its time. Hits get the processor. */
const PAUSE_FACTOR = 4;
/** Delay of a refusal, in milliseconds. Slows down clients that retry at once. */
const REFUSAL_DELAY_MS = 500;
/** Pixels of a fixed PNG for each pixel of its SVG image. */
const FIXED_SCALE = 2;

/** Makes PNGs one at a time, and loads what this needs at the first one. */
export type PngQueue = ReturnType<typeof createPngQueue>;

/**
 * Creates a queue that loads nothing yet.
 *
 * @example
 * ```ts
 * const queue = createPngQueue(log);
 * const png = await queue.rasterize(job);
 * queue.close();
 * ```
 */
export function createPngQueue(log: Log) {
  let rasterizer: ReturnType<typeof startRasterizer> | undefined;
  /** The PNGs that were asked for last, by scale and SVG text, and the fixed ones by SVG text. */
  const latest: Pngs = new BoundedMap(CACHE_SIZE);
  const fixed: Pngs = new BoundedMap(Infinity);
  /** Number of places that are taken. */
  let waiting = 0;
  const turns: (() => Promise<void>)[] = [];
  let isRunning = false;

  const load = loadOnce(async () => {
    // Kept if the rest fails, because each rasterizer has URLs of its own.
    const { rasterize } = rasterizer ??= startRasterizer(await import("./tallymark-png.js"));
    const draw = (badge: string, detail: string) =>
      rasterize({ svg: errorBadge({ badge, detail }), scale: FIXED_SCALE });
    const busy = await draw("busy", new Problem("busy").detail);
    // These are made now, because they are sent when the rasterizer fails.
    return { rasterize, busy, counted: await draw("counted", "The hit was counted.") };
  });

  const loaded = () =>
    withTimeout(START_LIMIT_MS, load(), timedOut).catch((cause) => {
      log.warnOncePer("day", "PNG rasterizer not loaded", { cause });
      throw new Problem("no-png", { cause });
    });

  /**
   * Makes a PNG in its turn, before those of others if it is urgent. One that takes too long is
   * refused, and keeps its turn until it is made, because Deno 2.9 cannot end a busy worker.
   */
  function takeTurn(job: RasterJob, rasterize: Rasterize, isUrgent: boolean): Promise<Png> {
    const { promise, resolve, reject } = Promise.withResolvers<Png>();
    turns[isUrgent ? "unshift" : "push"](async () => {
      const made = rasterize(job);
      await withTimeout(RASTER_LIMIT_MS, made, timedOut).then(resolve, (cause) => {
        log.error("PNG not made", { cause });
        reject(new Problem("busy", { cause }));
      });
      await made.catch(() => {});
    });
    if (!isRunning) runTurns();
    return promise;
  }

  async function runTurns(): Promise<void> {
    isRunning = true;
    for (let turn; (turn = turns.shift()) !== undefined;) {
      const start = performance.now();
      await turn();
      const taken = Math.min(performance.now() - start, RASTER_LIMIT_MS);
      if (turns.length > 0) await pause(PAUSE_FACTOR * taken);
    }
    isRunning = false;
  }

  return {
    /**
     * Resolves with the PNG of an SVG document, which takes a place in the queue unless it was
     * made before. Hits are urgent, because image proxies wait a few seconds only. Rejects with
     * `busy` if all places are taken or the rasterizer fails, and with `no-png` if the rasterizer
     * cannot be loaded.
     */
    async rasterize(job: RasterJob, isUrgent = false): Promise<Png> {
      const { rasterize } = await loaded();
      const name = `${job.scale} ${job.svg}`;
      const known = latest.get(name);
      if (known !== undefined) return known;
      if (waiting >= MAX_WAITING) {
        await pause(REFUSAL_DELAY_MS);
        throw new Problem("busy");
      }
      waiting++;
      return keep(latest, name, takeTurn(job, rasterize, isUrgent).finally(() => waiting--));
    },
    /**
     * Resolves with the PNG of one of a few SVG documents, which is made once and takes no
     * place. Rejects like `rasterize`.
     */
    async rasterizeFixed(svg: string): Promise<Png> {
      const { rasterize } = await loaded();
      const job = { svg, scale: FIXED_SCALE };
      return fixed.get(svg) ?? keep(fixed, svg, takeTurn(job, rasterize, true));
    },
    /** Resolves with the PNG that says so. Rejects with `no-png` like `rasterize`. */
    notice: async (text: "busy" | "counted"): Promise<Png> => (await loaded())[text],
    /** Ends the worker. */
    close: (): void => rasterizer?.close(),
  };
}

const timedOut = () => new Error("Timed out");

/** Keeps a PNG for later calls, unless it fails. */
function keep(pngs: Pngs, name: string, png: Promise<Png>): Promise<Png> {
  pngs.set(name, png);
  png.catch(() => pngs.delete(name));
  return png;
}

/** Starts a rasterizer in a worker, or in this thread on platforms without workers. */
function startRasterizer(
  { createRasterizer, parts, glue, script }: typeof import("./tallymark-png.js"),
): { rasterize: Rasterize; close: () => void } {
  if (typeof Worker === "undefined") {
    const loading = createRasterizer(parts);
    return { rasterize: async (job) => (await loading)(job), close() {} };
  }
  const glueUrl = moduleUrl(glue);
  const url = moduleUrl(script.replace("@resvg/resvg-wasm", () => glueUrl));
  let current: Worker | undefined;

  /** Takes one job at a time. After an error the next job starts another worker. */
  async function rasterize(job: RasterJob): Promise<Png> {
    const worker = current ??= startWorker(url, parts);
    const { promise, resolve, reject } = Promise.withResolvers<Png>();
    worker.onmessage = ({ data }: MessageEvent<Png>) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      current = undefined;
      reject(new Error(event.message));
    };
    worker.postMessage(job);
    return await promise;
  }

  return { rasterize, close: () => current?.terminate() };
}

function moduleUrl(script: string): string {
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

/** Free file descriptors that a worker requires. It takes seven, and others may be taken. */
const FREE_DESCRIPTORS = 16;

function startWorker(url: string, parts: RasterizerParts): Worker {
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
