/** Upper bounds in seconds, up to the deadline of all calls. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** A histogram of durations. */
export class Histogram {
  /** Upper bounds of the buckets, in seconds. */
  readonly bounds = BOUNDS;
  /** Number of durations in each bucket, and of those above the last bound. */
  readonly counts = [...BOUNDS, Infinity].map(() => 0);
  sum = 0;

  /** Adds a duration. */
  observe(seconds: number): void {
    this.sum += seconds;
    let bucket = 0;
    while (seconds > (this.bounds[bucket] ?? Infinity)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
  }
}

/** The metrics of the requests to one endpoint. */
export class RequestMeter {
  /** Number of responses by status. */
  readonly statuses = new Map<number, number>();
  readonly durations = new Histogram();

  /** Counts a response to a request that arrived at `since`, in milliseconds since the epoch. */
  answered(status: number, since: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    // Date.now is cheaper than performance.now, and right on average.
    this.durations.observe(Math.max(0, Date.now() - since) / 1000);
  }
}

/** The metrics of the calls of one kind to the store. */
export class BatchMeter {
  batches = 0;
  /** Number of ids in all batches. */
  ids = 0;
  readonly durations = new Histogram();

  /** Counts a batch that is sent. */
  begin(ids: number): void {
    this.batches++;
    this.ids += ids;
  }

  /** Adds the duration of a batch that the store has settled. */
  end(tookMs: number): void {
    this.durations.observe(tookMs / 1000);
  }
}

/** The metrics of the service. */
export class Metrics {
  readonly requests = new Map<string, RequestMeter>();
  readonly batches = new Map<string, BatchMeter>();
  /** True for each node of the store that works. */
  readonly nodes = new Map<string, boolean>();
  /** Number of hits that the store acknowledged, and of those with an unknown outcome. */
  hits = 0;
  unknownHits = 0;
  /** Number of hits that were refused because their group key had reached its limit. */
  groupFull = 0;
  /** Number of times that a key of an earlier secret was accepted. */
  earlierKeys = 0;

  /** `worker` is the name of this worker if the process has several. */
  constructor(readonly worker?: string) {}

  /** Returns the meter of an endpoint. */
  requestsFor(path: string): RequestMeter {
    const meter = this.requests.get(path) ?? new RequestMeter();
    this.requests.set(path, meter);
    return meter;
  }

  /** Returns the meter of a kind of call. */
  batchesOf(kind: string): BatchMeter {
    const meter = this.batches.get(kind) ?? new BatchMeter();
    this.batches.set(kind, meter);
    return meter;
  }
}
