import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { createResponse, headersFor } from "../http/response.ts";
import type { Histogram, Metrics } from "../metrics.ts";
import { bodies, service } from "../openapi/responses.ts";
import { VERSION } from "../version.ts";
import type { Service } from "./service.ts";

/** `GET /metrics`: the metrics of this process, for Prometheus. */
export function metricsText({ metrics, counters }: Service): Endpoint {
  const headers = {
    ...headersFor("text", "no-store"),
    "content-type": "text/plain; version=0.0.4; charset=utf-8",
  };
  return endpoint("none", {
    summary: "Get metrics for Prometheus",
    respond: () => createResponse(formatMetrics(metrics, counters.waiting), headers),
    openapi: service("Metrics", { content: bodies.text }),
  });
}

/** A family of numbers: its lines without the name in front. */
interface MetricFamily {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: readonly string[];
}

/** All of it in the text format of Prometheus, version 0.0.4. */
function formatMetrics(metrics: Metrics, waiting: number): string {
  const worker = metrics.worker?.();
  const own = worker === undefined ? undefined : `{worker="${worker}"`;
  return familiesIn(metrics, waiting).map(({ name, type, help, samples }) =>
    [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((line) => name + (own === undefined ? line : withLabel(line, own))),
    ].join("\n") + "\n"
  ).join("");
}

/** Adds a label, given with its opening brace, to a sample such as `_sum{endpoint="/hit"} 2` or ` 2`. */
function withLabel(sample: string, label: string): string {
  return sample.includes("{")
    ? sample.replace("{", `${label},`)
    : sample.replace(" ", `${label}} `);
}

function familiesIn(metrics: Metrics, waiting: number): MetricFamily[] {
  const requests = [...metrics.requests];
  const batches = [...metrics.batches];
  const { rss } = Deno.memoryUsage();
  return [
    {
      name: "tallymark_build_info",
      type: "gauge",
      help: "The version of the service; always 1.",
      samples: [`${labels({ version: VERSION })} 1`],
    },
    {
      name: "tallymark_http_requests_total",
      type: "counter",
      help: "Requests by endpoint and status.",
      samples: requests.flatMap(([endpoint, { statuses }]) =>
        Array.from(statuses, ([status, count]) => `${labels({ endpoint, status })} ${count}`)
      ),
    },
    {
      name: "tallymark_http_request_duration_seconds",
      type: "histogram",
      help: "Time from a request to its response, by endpoint.",
      samples: requests.flatMap(([endpoint, { durations }]) => buckets(durations, { endpoint })),
    },
    single("tallymark_hits_total", "counter", "Hits that the store acknowledged.", metrics.hits),
    single(
      "tallymark_hits_unknown_total",
      "counter",
      "Hits of unknown outcome: the store may or may not have counted them.",
      metrics.unknownHits,
    ),
    single(
      "tallymark_family_full_total",
      "counter",
      "Hits refused because a family had reached its limit of new counters for the day.",
      metrics.familyFull,
    ),
    {
      name: "tallymark_store_batches_total",
      type: "counter",
      help: "Calls to the store, by kind.",
      samples: batches.map(([kind, { batches }]) => `${labels({ kind })} ${batches}`),
    },
    {
      name: "tallymark_store_batch_ids_total",
      type: "counter",
      help: "Counters in calls to the store, by kind.",
      samples: batches.map(([kind, { ids }]) => `${labels({ kind })} ${ids}`),
    },
    {
      name: "tallymark_store_duration_seconds",
      type: "histogram",
      help: "Duration of calls to the store, by kind.",
      samples: batches.flatMap(([kind, { durations }]) => buckets(durations, { kind })),
    },
    {
      name: "tallymark_store_up",
      type: "gauge",
      help: "Whether the store is available, by node.",
      samples: Array.from(metrics.nodes, ([node, up]) => `${labels({ node })} ${Number(up)}`),
    },
    {
      name: "tallymark_store_at_risk",
      type: "gauge",
      help: "1 for each kind of setting with which Redis may lose counters.",
      samples: Array.from(metrics.storeRisks.keys(), (risk) => `${labels({ risk })} 1`),
    },
    single("tallymark_waiting_requests", "gauge", "Requests waiting for the store.", waiting),
    single(
      "tallymark_store_redirects_total",
      "counter",
      "Commands that a node of a Redis Cluster redirected to another node.",
      metrics.redirects,
    ),
    single("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", rss),
    single(
      "process_start_time_seconds",
      "gauge",
      "Start time of the process since the unix epoch in seconds.",
      performance.timeOrigin / 1000,
    ),
  ];
}

function single(
  name: string,
  type: "counter" | "gauge",
  help: string,
  value: number,
): MetricFamily {
  return { name, type, help, samples: [` ${value}`] };
}

/** Every bucket holds what the smaller ones hold too. */
function buckets(
  { bounds, counts, sum }: Histogram,
  own: Readonly<Record<string, string>>,
): string[] {
  let count = 0;
  const lines = [...bounds, Infinity].map((bound, index) => {
    count += counts[index] ?? 0;
    const le = bound === Infinity ? "+Inf" : bound;
    return `_bucket${labels({ ...own, le })} ${count}`;
  });
  return [...lines, `_sum${labels(own)} ${sum}`, `_count${labels(own)} ${count}`];
}

function labels(values: Readonly<Record<string, string | number>>): string {
  const texts = Object.entries(values).map(([name, value]) => `${name}="${escape(String(value))}"`);
  return `{${texts.join(",")}}`;
}

function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
