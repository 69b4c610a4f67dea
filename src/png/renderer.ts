import { errorBadge } from "../badge/drawings.ts";
import { loadOnce } from "../load_once.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import type { Painter, PainterParts, PaintJob } from "./painter.ts";

type Png = Uint8Array<ArrayBuffer>;

/** Maximum number of requests that wait for a PNG. */
const MAX_WAITING = 16;
/** Time that one PNG may take, in milliseconds. */
const RENDER_LIMIT_MS = 2000;
/** Time that the first PNG of a worker may take. The worker starts on a busy processor, too. */
const START_LIMIT_MS = 10_000;
/** Pause after a PNG while others wait, as a multiple of its time. Hits get the processor. */
const PAUSE_FACTOR = 4;
/** Delay of a refusal, in milliseconds. Slows down clients that retry at once. */
const REFUSAL_DELAY_MS = 500;

/** Renders PNGs one at a time, and loads what this needs at the first one. */
export type Renderer = ReturnType<typeof createRenderer>;

/** Creates a renderer that loads nothing yet. */
export function createRenderer(log: Log) {
  let engine: ReturnType<typeof createEngine> | undefined;
  let waiting = 0;
  let lastJob: Promise<unknown> = Promise.resolve();
  let hasLoggedFailure = false;

  const load = loadOnce(async () => {
    const { paint } = engine = createEngine(await import("./tallymark-png.js"));
    const draw = (badge: string, detail: string) =>
      paint({ svg: errorBadge({ badge, detail }), scale: 2 });
    const busy = await draw("busy", new Problem("busy").detail);
    // These two need no place, because they are rendered now.
    return { paint, busy, counted: await draw("counted", "The hit was counted.") };
  });

  const loaded = () =>
    load().catch((cause) => {
      if (!hasLoggedFailure) log.error("PNG renderer not loaded", { cause });
      hasLoggedFailure = true;
      throw new Problem("no-png", { cause });
    });

  function render(job: PaintJob, paint: Painter): Promise<Png> {
    const png = lastJob.then(() => paint(job)).catch((cause) => {
      log.error("PNG not rendered, renderer restarted", { cause });
      throw new Problem("busy", { cause });
    });
    const start = lastJob.then(() => performance.now());
    lastJob = png.catch(() => {}).then(async () => {
      if (waiting > 1) await pause(PAUSE_FACTOR * (performance.now() - await start));
    });
    return png;
  }

  return {
    /**
     * Calls `use`, which has a place in the queue until its promise settles. Rejects without a call
     * if all places are taken (`busy`) or the renderer cannot be loaded (`no-png`). The painter
     * that `use` gets rejects with `busy` if it fails.
     */
    async withPlace<Result>(use: (render: Painter) => Promise<Result>): Promise<Result> {
      if (waiting >= MAX_WAITING) {
        await pause(REFUSAL_DELAY_MS);
        throw new Problem("busy");
      }
      waiting++;
      try {
        const { paint } = await loaded();
        return await use((job) => render(job, paint));
      } finally {
        waiting--;
      }
    },
    /** Resolves with an image that needs no place. Rejects with `no-png` like `withPlace`. */
    fixed: async (name: "busy" | "counted"): Promise<Png> => (await loaded())[name],
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
