import { startLocalService } from "./local_service.ts";
import { dayAgo, importLines } from "./owner_page.ts";
import { onReservedPort, reservePort } from "./reserved_port.ts";
import { authorized, SECRET } from "./secret.ts";
import { TIME_ZONE } from "./time_zones.ts";

/** A page of the embedding site. */
export interface SitePage {
  readonly html: string;
  readonly headers?: Record<string, string>;
}

/** A service, and a site of another origin whose pages show its counters. */
export interface Embedding extends AsyncDisposable {
  /** The pages of the site by path. */
  readonly pages: Map<string, SitePage>;
  /** The paths that the site was asked for, each with the purpose that the browser gave. */
  readonly asked: readonly string[];
  /** The port of the site, where it is not found by its name. */
  readonly port: number;
  /** Answers those who asked for a path under `/wait/`, who wait for it. */
  release(path: string): void;
  /** `<tally-mark …>` for a counter, with its key. */
  markOf(id: string): Promise<string>;
  /** The number of a counter, as the service tells it to its owner. */
  count(id: string): Promise<number>;
  /** Gives counters numbers, with all hits today. */
  set(counts: Readonly<Record<string, number>>): Promise<void>;
  /** The key of a group. */
  groupKey(prefix: string): Promise<string>;
}

/** The element that loads the script in pages. */
export const SCRIPT = '<script async src="http://tally.example/tally.js"></script>';

/** As Chromium says with a window: without one it calls itself headless, which crawlers do. */
const READER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
  "Chrome/156.0.0.0 Safari/537.36";

/** Shared by all tests, because one Chromium has the ports in its command line. */
const [SERVICE_PORT, SITE_PORT] = [reservePort(), reservePort()];

/**
 * Flags with which Chromium finds the service and the site under their names, and is one that a
 * reader has.
 */
export const READER_ARGS: readonly string[] = [
  `--user-agent=${READER}`,
  "--disable-blink-features=AutomationControlled",
  `--host-resolver-rules=MAP tally.example 127.0.0.1:${SERVICE_PORT},` +
  [
    ...["blog.example", "blog.local", "192.168.0.7", "127.example.com", "mylocalhost"],
    ...["tauri.localhost", "2001:db8::7", "fd00::7"],
  ].map((host) => `MAP ${host} 127.0.0.1:${SITE_PORT}`),
];

/**
 * Flags of a Chromium with windows. It loads pages of its own for each window, which takes two
 * seconds of CPU, unless their features are off. The list replaces Playwright's, and has what of
 * that changes how pages are loaded.
 */
export const WINDOW_ARGS: readonly string[] = [
  ...READER_ARGS,
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,PaintHolding,HttpsUpgrades," +
  "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,OptimizationHints," +
  "ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,PreconnectToSearch",
];

/** Starts both; reads of the service are closed, as they are by default, unless they are opened. */
export async function openEmbedding(
  { openReads = false, serveAs = "", hitOrigins = "" } = {},
): Promise<Embedding> {
  const service = await startLocalService({
    SECRET_TOKEN: SECRET,
    TIME_ZONE,
    PUBLIC_READS: openReads ? "1" : "0",
    SERVE_AS: serveAs,
    HIT_ORIGINS: hitOrigins,
  }, SERVICE_PORT);
  const pages = new Map<string, SitePage>();
  const asked: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (path: string) => {
    const found = gates.get(path) ?? Promise.withResolvers();
    gates.set(path, found);
    return found;
  };
  const address = { hostname: "127.0.0.1", port: SITE_PORT };
  const answer = async (request: Request) => {
    const { pathname } = new URL(request.url);
    const purpose = request.headers.get("sec-purpose");
    asked.push(purpose === null ? pathname : `${pathname} (${purpose})`);
    if (pathname.startsWith("/wait/")) await gate(pathname).promise;
    const page = pages.get(pathname);
    const isPage = page?.headers?.["content-type"] === undefined;
    const body = page && (isPage ? `<!doctype html><title>Blog</title>${page.html}` : page.html);
    return new Response(body, {
      status: page ? 200 : 204,
      headers: { "content-type": "text/html; charset=utf-8", ...page?.headers },
    });
  };
  const server = onReservedPort(() => Deno.serve({ ...address, onListen() {} }, answer));

  async function read(path: string, id: string) {
    const url = `${service.url}${path}?id=${encodeURIComponent(id)}`;
    return await (await fetch(url, { headers: authorized })).json();
  }

  return {
    pages,
    asked,
    port: SITE_PORT,
    release: (path) => gate(path).resolve(),
    async markOf(id) {
      const { key } = await read("/key", id);
      return `<tally-mark counter="${id.replaceAll("&", "&amp;")}" key="${key}">–</tally-mark>`;
    },
    count: async (id) => (await read("/count", id)).hits,
    async set(counts) {
      const today = dayAgo(0);
      await importLines(
        service,
        Object.entries(counts).map(([id, hits]) => ({ id, hits, days: { [today]: hits } })),
      );
    },
    async groupKey(prefix) {
      const query = new URLSearchParams({ prefix });
      const answer = await fetch(`${service.url}/key?${query}`, { headers: authorized });
      return (await answer.json()).key;
    },
    async [Symbol.asyncDispose]() {
      for (const { resolve } of gates.values()) resolve();
      await server.shutdown();
      await service[Symbol.asyncDispose]();
    },
  };
}
