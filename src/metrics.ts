/** How often something took how long. */
export class Histogram {
  /** Upper bounds of the buckets, in seconds. */
  readonly bounds: readonly number[];
  /** How many fell into each bucket, and at the end how many were longer. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** Takes down a time. */
  observe(seconds: number): void {
    this.sum += seconds;
    let bucket = 0;
    while (seconds > (this.bounds[bucket] ?? Infinity)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
  }
}

/** Up to the deadline of all calls, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** What is counted of the requests for one endpoint. */
export class RequestMeter {
  /** How many were answered with each status. */
  readonly statuses = new Map<number, number>();
  readonly durations = new Histogram(BOUNDS);

  /** A request that came at `since`, in milliseconds since 1970, was answered. */
  answered(status: number, since: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    // A finer clock takes longer than all the rest of this, and whole milliseconds are right on average.
    this.durations.observe(Math.max(0, Date.now() - since) / 1000);
  }
}

/** What is counted of the calls of the store of one kind. */
export class BatchMeter {
  batches = 0;
  /** How many counters they were about. */
  ids = 0;
  readonly durations = new Histogram(BOUNDS);

  /** A call about so many counters was sent. */
  begin(ids: number): void {
    this.batches++;
    this.ids += ids;
  }

  /** It was answered, or failed. */
  end(tookMs: number): void {
    this.durations.observe(tookMs / 1000);
  }
}

/** What the service counts of itself. */
export class Metrics {
  readonly requests = new Map<string, RequestMeter>();
  readonly batches = new Map<string, BatchMeter>();
  /** Whether each node of the store does what it is asked. */
  readonly nodes = new Map<string, boolean>();
  /** Hits that the store acknowledged, and those of which nobody knows. */
  hits = 0;
  unknownHits = 0;
  /** Hits that were refused because their family key had created as many counters as it may. */
  familyFull = 0;
  /** Commands that a node of the store sent to another one. */
  redirects = 0;

  /** What is counted for an endpoint. */
  requestsFor(path: string): RequestMeter {
    const meter = this.requests.get(path) ?? new RequestMeter();
    this.requests.set(path, meter);
    return meter;
  }

  /** What is counted for calls of a kind. */
  batchesOf(kind: string): BatchMeter {
    const meter = this.batches.get(kind) ?? new BatchMeter();
    this.batches.set(kind, meter);
    return meter;
  }
}
