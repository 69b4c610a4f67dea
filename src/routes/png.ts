import { isUnchanged, notModified } from "../http/conditional.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { Parameter, Query } from "../http/query.ts";
import { createResponse, flagHeader, type HeaderRecord } from "../http/response.ts";
import { bodies, withContent } from "../openapi/responses.ts";
import type { Painter } from "../png/painter.ts";
import type { Service } from "./service.ts";

const scale = {
  name: "scale",
  meaning: "Pixels of the PNG for each pixel of the SVG image: 1, 2 or 3. Large images get fewer.",
  schema: { type: "integer", default: 2, minimum: 1, maximum: 3 },
} as const satisfies Parameter;

/**
 * Serves the images of an endpoint as PNGs, with the same access, parameters and caching. Requests
 * that count hits (`counts`) take a place first, so that a full queue counts nothing. With `scale`,
 * the query cannot choose the scale.
 */
export function png(
  image: Endpoint,
  { renderer }: Service,
  { counts = false, scale: fixedScale }: { counts?: boolean; scale?: number } = {},
): Endpoint {
  const { summary, parameters, drawProblem, openapi } = image;
  const renderInPlace: Painter = (job) => renderer.withPlace((render) => render(job));

  function scaleOf(query: Query<string>): number {
    const given = query.get("scale") ?? "";
    return fixedScale ?? (/^[123]$/.test(given) ? Number(given) : scale.schema.default);
  }

  /** Responds with a PNG of the image in a response. Renders nothing if the client has it. */
  async function convert(
    response: Response,
    { query, request, render }: { query: Query<string>; request: Request; render: Painter },
  ): Promise<Response> {
    const scale = scaleOf(query);
    const headers = pngHeaders(response, scale);
    if (response.status === 304 || isUnchanged(request, headers.etag)) return notModified(headers);
    try {
      const body = await render({ svg: await response.text(), scale });
      return createResponse(body, headers, response.status);
    } catch (error) {
      const { "x-tallymark": flag = "camo" } = headers;
      const wasCounted = counts && request.method !== "HEAD" && flag === "camo";
      if (!wasCounted) throw error;
      const body = await renderer.fixed("counted");
      return createResponse(body, { ...headers, ...flagHeader("counted") });
    }
  }

  return {
    ...image,
    summary: `${summary}, as a PNG`,
    parameters: fixedScale === undefined ? [...parameters, scale] : parameters,
    async drawProblem(problem, query) {
      if (problem.kind === "no-png") return undefined;
      try {
        if (problem.kind === "busy") return await renderer.fixed("busy");
        const svg = await drawProblem?.(problem, query);
        if (typeof svg !== "string") return undefined;
        return await renderInPlace({ svg, scale: scaleOf(query) });
      } catch {
        return await renderer.fixed("busy").catch(() => undefined);
      }
    },
    prepare(query, request) {
      const run = image.prepare(query, request);
      return async (context) => {
        // A place before the work, unless a client may have the PNG, for which no place is needed.
        if (!counts && request.headers.has("if-none-match")) {
          return convert(await run(context), { query, request, render: renderInPlace });
        }
        return await renderer.withPlace(async (render) => {
          return await convert(await run(context), { query, request, render });
        });
      };
    },
    ...openapi && {
      openapi: {
        ...openapi,
        name: `${openapi.name}Png`,
        responses: withContent(openapi.responses, bodies.png),
        problems: [...openapi.problems ?? [], 503],
      },
    },
  };
}

function pngHeaders(response: Response, scale: number): HeaderRecord {
  const { "content-security-policy": _, etag, ...headers } = Object.fromEntries(response.headers);
  return {
    ...headers,
    "content-type": "image/png",
    ...(etag !== undefined && { etag: `${etag.slice(0, -1)}-${scale}x"` }),
  };
}
