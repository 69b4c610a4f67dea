import { type AccessOptions, createAccess } from "./auth/access.ts";
import type { Counters } from "./counters/counters.ts";
import { networkOfCaller, type Proxies, type SentRequest } from "./hits/caller_address.ts";
import { createHitPolicy } from "./hits/hit_policy.ts";
import { RecentHits } from "./hits/recent_hits.ts";
import { createBodyReader } from "./http/reading.ts";
import { createReadPolicy } from "./http/response.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { createPngQueue } from "./png/png_queue.ts";
import { createProblemConverter } from "./problem.ts";
import { createLatestReader } from "./read_counter.ts";

export interface ServiceOptions {
  config: Omit<AccessOptions, "log" | "onEarlierKey"> & {
    proxies: Proxies;
    groupLimit: number;
    /** The counters that anyone may hit at the addresses of other services. */
    serveAs: readonly string[];
    /** The origins of the pages that may count without the secret. */
    hitOrigins: readonly string[];
    /** The origins of the pages that may embed shared pages. */
    embedOrigins: readonly string[];
    /** The address at which the service is reached. Undefined if it is that of the request. */
    publicUrl?: string | undefined;
    /** The setting or the file that keeps the secret. Undefined if it is for this run only. */
    secretPlace?: string | undefined;
    /** Sentences for the owner about the start: a new secret, a wrong clock. */
    notices?: readonly string[];
  };
  counters: Counters;
  metrics: Metrics;
  log: Log;
}

/** The parts that endpoints share. */
export type Service = ReturnType<typeof createService>;

/** Creates the parts. */
export function createService({ config, counters, metrics, log }: ServiceOptions) {
  const { serveAs, embedOrigins, publicUrl, secretPlace, notices = [] } = config;
  const draining = { hasBegun: false };
  const ending = new AbortController();
  const { signal: ended } = ending;
  const pngQueue = createPngQueue(log);
  return {
    counters,
    metrics,
    log,
    serveAs,
    embedOrigins,
    publicUrl,
    secretPlace,
    notices,
    /** The counts that badges show. */
    readLatest: createLatestReader(counters),
    access: createAccess({ ...config, log, onEarlierKey: () => metrics.earlierKeys++ }),
    readPolicy: createReadPolicy(config.openReads),
    countHit: createHitPolicy({ ...config, counters, metrics, log, ended }),
    recentHits: new RecentHits(),
    toProblem: createProblemConverter(log),
    pngQueue,
    draining,
    readSmallBody: createBodyReader(draining),
    networkOf: (sent: SentRequest) => networkOfCaller(sent, config.proxies),
    /** Ends all that works without a request: the thread that draws PNGs, and timers. */
    close() {
      ending.abort();
      pngQueue.close();
    },
  };
}
