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

type Labels = Readonly<Record<string, string | number>>;
/** A value with its labels. `part` follows the name of the metric, as `_sum` does. */
type Sample = readonly [labels: Labels, value: number, part?: string];
/** A metric and its value, or its samples. */
type Metric = [name: string, help: string, value: number | readonly Sample[]];

/** Returns the type of a metric, which the end of its name shows (Prometheus, "Naming"). */
function typeOf(name: string): "counter" | "histogram" | "gauge" {
  if (name.endsWith("_total")) return "counter";
  return name.endsWith("_duration_seconds") ? "histogram" : "gauge";
}

/** Formats all metrics in the text format of Prometheus, version 0.0.4. */
function formatMetrics(service: Service): string {
  const { worker } = service.metrics;
  const common: Labels = worker === undefined ? {} : { worker };
  return metricsIn(service).map(([name, help, value]) => {
    const samples: readonly Sample[] = typeof value === "number" ? [[{}, value]] : value;
    const lines = samples.map(([labels, value, part = ""]) =>
      `${name}${part}${formatLabels({ ...common, ...labels })} ${value}\n`
    );
    return `# HELP ${name} ${help}\n# TYPE ${name} ${typeOf(name)}\n${lines.join("")}`;
  }).join("");
}

function metricsIn({ metrics, counters }: Service): Metric[] {
  const { requests, batches, nodes } = metrics;
  const statuses = [...requests].flatMap(([endpoint, { statuses }]) =>
    Array.from(statuses, ([status, count]): Sample => [{ endpoint, status }, count])
  );
  const callsOf = (count: (meter: BatchMeter) => number) =>
    Array.from(batches, ([kind, meter]): Sample => [{ kind }, count(meter)]);
  const nodesUp = Array.from(nodes, ([node, isUp]): Sample => [{ node }, Number(isUp)]);
  const risks = Array.from(counters.risks().keys(), (risk): Sample => [{ risk }, 1]);
  const { rss } = Deno.memoryUsage();
  return [
    ["tallymark_build_info", "The version of the service; always 1.", [
      [{ version: VERSION }, 1],
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
): Sample[] {
  return Array.from(meters).flatMap(([key, { durations: { bounds, counts, sum } }]): Sample[] => {
    const labels = { [label]: key };
    let count = 0;
    const buckets = [...bounds, "+Inf"].map((le, index): Sample => {
      count += counts[index] ?? 0;
      return [{ ...labels, le }, count, "_bucket"];
    });
    return [...buckets, [labels, sum, "_sum"], [labels, count, "_count"]];
  });
}

function formatLabels(labels: Labels): string {
  const texts = Object.entries(labels).map(([name, text]) => `${name}="${escape(String(text))}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
