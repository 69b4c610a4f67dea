import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { jsonResponse } from "../http/response.ts";
import { json, operation, success } from "../openapi/responses.ts";
import { FULL_DISK, isFullDisk, Problem } from "../problem.ts";
import type { Service } from "../service.ts";

const NOT_COUNTED = "The store does not accept hits. They are not counted until it does again.";

/** `GET /healthz`: the process is alive. */
export const health: Endpoint = endpoint("none", {
  summary: "Check that the process is alive",
  ignoresQuery: true,
  respond: () => jsonResponse({ status: "ok" }),
  openapi: operation("Service", "Health", success("OK.", json("Health"))),
});

/** `GET /readyz`: a hit would be counted now, except on the shards that are named. */
export function readiness({ counters }: Service): Endpoint {
  return endpoint("none", {
    summary: "Check that a hit would be counted now",
    async respond() {
      const unreachable = await counters.ready().catch((cause) => {
        throw new Problem("store-unavailable", { cause });
      });
      const body = { status: "ok", ...(unreachable.length > 0 && { unreachable }) };
      return jsonResponse(body);
    },
    openapi: operation("Service", "Readiness", success("OK.", json("Readiness")), [503]),
  });
}

/** `GET /status`: all that the owner's page needs next to the counters. */
export function status({ counters, secretPlace, notices }: Service): Endpoint {
  return endpoint("none", {
    summary: "Show the time zone and the warnings of the service",
    async respond() {
      const { timeZone } = counters.calendar;
      const trouble = await counters.ready().then(
        (shards) => shards.map((name) => `Hits on a part of the store are not counted: ${name}`),
        (error) => [isFullDisk(error) ? FULL_DISK : NOT_COUNTED],
      );
      const risks = counters.risks().values();
      const warnings = [...trouble, ...risks, ...notices];
      return jsonResponse({ timeZone, secret: secretPlace, warnings });
    },
    openapi: operation("Owners", "Status", success("The state of the service.", json("Status"))),
  });
}
