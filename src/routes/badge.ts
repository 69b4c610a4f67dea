import { createDrawings, errorBadge, sparkDays } from "../badge/drawings.ts";
import { shieldsColor } from "../drawing/color.ts";
import { formatCounts, parseGoal, parseNumberForm, withGoal } from "../drawing/number.ts";
import { parseLabel, SHARED_PARAMETERS } from "../drawing/parameters.ts";
import { BADGE_PARAMETER_LIST } from "../badge/styles.ts";
import type { ImageFormat } from "../drawing/text.ts";
import { createRevalidated } from "../http/conditional.ts";
import { type Endpoint, endpoint, whenKnown } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { createResponse, flagHeader, headersFor } from "../http/response.ts";
import { json, operation, revalidated, STORE_PROBLEMS, success } from "../openapi/responses.ts";
import { checkPeriodOrShow, period, show } from "../read_counter.ts";
import type { Service } from "../service.ts";

/** `GET /badge`: the number as an image of this format. */
export function badge({ readLatest, readPolicy }: Service, format: ImageFormat): Endpoint {
  const images = createRevalidated(readPolicy);
  const draw = createDrawings(images.withHeaders, format);
  const stale = {
    ...headersFor("svg", readPolicy.cacheControl("no-store")),
    ...flagHeader("stale"),
  };
  return endpoint("counter or prefix", {
    summary: "Show a counter as a badge",
    parameters: [...BADGE_PARAMETER_LIST, period, show],
    parse: checkPeriodOrShow,
    respond(context) {
      const { request, query } = context;
      return whenKnown(readLatest(context, sparkDays(query)), ({ counts, days, isStale }) => {
        const image = draw(query, counts, days);
        return isStale ? createResponse(image.text, stale) : images.respond(image, request);
      });
    },
    drawProblem: errorBadge,
    openapi: operation("Badges", "Badge", revalidated("The badge."), STORE_PROBLEMS),
  });
}

export const cacheSeconds = {
  name: "cacheSeconds",
  meaning: "How long caches may keep the response, clamped to the range.",
  schema: { type: "integer", default: 60, minimum: 30, maximum: 3600 },
} as const satisfies Parameter;

const BADGE_JSON = success("The badge as JSON.", json("ShieldsBadge"));

/** `GET /badge.json`: the document that shields.io/badges/endpoint-badge renders. */
export function badgeJson({ readLatest, readPolicy }: Service): Endpoint {
  const stale = {
    ...headersFor("json", readPolicy.cacheControl("no-store")),
    ...flagHeader("stale"),
  };
  return endpoint("counter or prefix", {
    summary: "Read a counter as JSON for the endpoint badge of shields.io",
    parameters: [
      ...[period, show, SHARED_PARAMETERS.label, SHARED_PARAMETERS.color, cacheSeconds],
      ...[SHARED_PARAMETERS.numbers, SHARED_PARAMETERS.locale, SHARED_PARAMETERS.goal],
    ],
    parse: checkPeriodOrShow,
    respond(context) {
      const { query } = context;
      return whenKnown(readLatest(context), ({ counts, isStale }) => {
        const seconds = parseSeconds(query.get("cacheSeconds"));
        const shown = withGoal(counts, parseGoal(query.get("goal")));
        // shields.io rejects documents with keys that it does not know.
        const body = JSON.stringify({
          schemaVersion: 1,
          label: parseLabel(query),
          message: formatCounts(shown, parseNumberForm(query)),
          color: shieldsColor(query.get("color")),
          cacheSeconds: seconds,
        });
        const fresh = headersFor("json", readPolicy.cacheControl(`max-age=${seconds}`));
        return createResponse(body, isStale === true ? stale : fresh);
      });
    },
    openapi: operation("Badges", "BadgeJson", BADGE_JSON, STORE_PROBLEMS),
  });
}

/** Parses a whole number and clamps it to the range. Returns the default for anything else. */
function parseSeconds(text: string | undefined): number {
  const { default: byDefault, minimum, maximum } = cacheSeconds.schema;
  if (text === undefined || !/^[+-]?\d+$/.test(text.trim())) return byDefault;
  return Math.min(maximum, Math.max(minimum, Number(text)));
}
