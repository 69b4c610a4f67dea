import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { createResponse, headersFor } from "../http/response.ts";
import type { BatchMeter, Histogram } from "../metrics.ts";
import { bodies, operation, success } from "../openapi/responses.ts";
import { VERSION } from "../version.ts";
import type { Service } from "../service.ts";

/** `GET /metrics`: the metrics of this process, for Prometheus. */
export function metricsText(service: Service): Endpoint {
  const headers = {
    ...headersFor("text", "no-store"),
    "content-type": "text/plain; version=0.0.4; charset=utf-8",
  };
  return endpoint("none", {
    summary: "Get metrics for Prometheus",
    respond: () => createResponse(formatMetrics(service), headers),
    openapi: operation("Service", "Metrics", success("OK.", bodies.text)),
  });
}

/** A metric and its value, or its samples without the name in front. */
type Metric = [name: string, help: string, value: number | readonly string[]];

/** Returns the type of a metric, which the end of its name shows (Prometheus, "Naming"). */
function typeOf(name: string): "counter" | "histogram" | "gauge" {
  if (name.endsWith("_total")) return "counter";
  return name.endsWith("_duration_seconds") ? "histogram" : "gauge";
}

/** Formats all metrics in the text format of Prometheus, version 0.0.4. */
function formatMetrics(service: Service): string {
  const { worker } = service.metrics;
  return metricsIn(service).map(([name, help, value]) => {
    const samples = typeof value === "number" ? [` ${value}`] : value;
    const label = `{worker="${worker}"`;
    const lines = worker === undefined ? samples : samples.map((line) => withLabel(line, label));
    const head = `# HELP ${name} ${help}\n# TYPE ${name} ${typeOf(name)}\n`;
    return head + lines.map((line) => `${name}${line}\n`).join("");
  }).join("");
}

/** Adds a label, given with its opening brace, to a sample such as `_sum{kind="add"} 2` or ` 2`. */
function withLabel(sample: string, label: string): string {
  return sample.includes("{")
    ? sample.replace("{", `${label},`)
    : sample.replace(" ", `${label}} `);
}

function metricsIn({ metrics, counters }: Service): Metric[] {
  const { requests, batches, nodes } = metrics;
  const statuses = [...requests].flatMap(([endpoint, { statuses }]) =>
    Array.from(statuses, ([status, count]) => sample({ endpoint, status }, count))
  );
  const callsOf = (count: (meter: BatchMeter) => number) =>
    Array.from(batches, ([kind, meter]) => sample({ kind }, count(meter)));
  const nodesUp = Array.from(nodes, ([node, isUp]) => sample({ node }, Number(isUp)));
  const risks = Array.from(counters.risks().keys(), (risk) => sample({ risk }, 1));
  const { rss } = Deno.memoryUsage();
  return [
    ["tallymark_build_info", "The version of the service; always 1.", [
      sample({ version: VERSION }, 1),
    ]],
    ["tallymark_http_requests_total", "Requests by endpoint and status.", statuses],
    [
      "tallymark_http_request_duration_seconds",
      "Time from a request to its response, by endpoint.",
      bucketsOf("endpoint", requests),
    ],
    ["tallymark_hits_total", "Hits that the store acknowledged.", metrics.hits],
    [
      "tallymark_hits_unknown_total",
      "Hits of unknown outcome: the store may or may not have counted them.",
      metrics.unknownHits,
    ],
    [
      "tallymark_group_full_total",
      "Hits refused because a group had reached its limit of new counters for the day.",
      metrics.groupFull,
    ],
    [
      "tallymark_earlier_keys_total",
      "Times that a key of an earlier secret (SECRET_FALLBACKS) was accepted.",
      metrics.earlierKeys,
    ],
    [
      "tallymark_store_batches_total",
      "Calls to the store, by kind.",
      callsOf(({ batches }) => batches),
    ],
    [
      "tallymark_store_batch_ids_total",
      "Counters in calls to the store, by kind.",
      callsOf(({ ids }) => ids),
    ],
    [
      "tallymark_store_duration_seconds",
      "Duration of calls to the store, by kind.",
      bucketsOf("kind", batches),
    ],
    ["tallymark_store_up", "Whether the store is available, by node.", nodesUp],
    [
      "tallymark_store_at_risk",
      "1 for each kind of setting with which Redis may lose counters.",
      risks,
    ],
    ["tallymark_waiting_requests", "Requests waiting for the store.", counters.waiting],
    ["process_resident_memory_bytes", "Resident memory size in bytes.", rss],
    [
      "process_start_time_seconds",
      "Start time of the process since the unix epoch in seconds.",
      performance.timeOrigin / 1000,
    ],
  ];
}

/** Returns the samples of the histogram of each meter, whose buckets include the smaller ones. */
function bucketsOf(
  label: string,
  meters: ReadonlyMap<string, { readonly durations: Histogram }>,
): string[] {
  return Array.from(meters).flatMap(([key, { durations: { bounds, counts, sum } }]) => {
    const labels = { [label]: key };
    let count = 0;
    const buckets = [...bounds, "+Inf"].map((le, index) => {
      count += counts[index] ?? 0;
      return `_bucket${sample({ ...labels, le }, count)}`;
    });
    return [...buckets, `_sum${sample(labels, sum)}`, `_count${sample(labels, count)}`];
  });
}

function sample(labels: Readonly<Record<string, string | number>>, value: number): string {
  const texts = Object.entries(labels).map(([name, text]) => `${name}="${escape(String(text))}"`);
  return `{${texts.join(",")}} ${value}`;
}

function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
