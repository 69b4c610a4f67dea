import { isUnchanged, notModified } from "../http/conditional.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { type Parameter, type Query, QueryValues } from "../http/query.ts";
import { createResponse, flagHeader, type HeaderRecord } from "../http/response.ts";
import { bodies, withContent } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import type { Service } from "../service.ts";

const scale = {
  name: "scale",
  meaning: "Pixels of the PNG for each pixel of the SVG image: 1, 2 or 3. Large images get fewer.",
  schema: { type: "integer", default: 2, minimum: 1, maximum: 3 },
} as const satisfies Parameter;

/**
 * Serves the images of an endpoint as PNGs, with the same access, parameters and caching. If the
 * endpoint counts hits (`counts`), it counts before the PNG takes a place in the queue. With
 * `scale`, the query cannot choose the scale.
 */
export function png(
  image: Endpoint,
  { pngQueue }: Service,
  { counts = false, scale: fixedScale }: { counts?: boolean; scale?: number } = {},
): Endpoint {
  const { summary, parameters, drawProblem, openapi } = image;

  /** Responds with a PNG of the image in a response. Rasterizes nothing if the client has it. */
  async function convert(response: Response, query: Query<string>, request: Request) {
    const given = query.get("scale") ?? "";
    const pixels = fixedScale ?? (/^[123]$/.test(given) ? Number(given) : scale.schema.default);
    const headers = pngHeaders(response, pixels);
    if (response.status === 304 || isUnchanged(request, headers.etag)) return notModified(headers);
    try {
      const body = await pngQueue.rasterize({ svg: await response.text(), scale: pixels }, counts);
      return createResponse(body, headers, response.status);
    } catch (error) {
      const { "x-tallymark": flag = "camo" } = headers;
      const wasCounted = counts && request.method !== "HEAD" && flag === "camo";
      if (!wasCounted) throw error;
      const body = await pngQueue.notice("counted");
      return createResponse(body, { ...headers, ...flagHeader("counted") });
    }
  }

  return {
    ...image,
    summary: `${summary}, as a PNG`,
    parameters: fixedScale === undefined ? [...parameters, scale] : parameters,
    async drawProblem({ kind }) {
      if (kind === "no-png") return undefined;
      const busy = () => pngQueue.notice("busy").catch(() => undefined);
      if (kind === "busy") return await busy();
      // In the default look, so that refused requests lead to a few images only.
      const svg = await drawProblem?.(new Problem(kind), NO_QUERY);
      return typeof svg === "string" ? await pngQueue.rasterizeFixed(svg).catch(busy) : undefined;
    },
    prepare(query, request) {
      const run = image.prepare(query, request);
      return async (context) => {
        // Without a rasterizer, nothing is counted.
        if (counts) await pngQueue.notice("counted");
        return await convert(await run(context), query, request);
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

const NO_QUERY = new QueryValues();

function pngHeaders(response: Response, scale: number): HeaderRecord {
  const { "content-security-policy": _, etag, ...headers } = Object.fromEntries(response.headers);
  return {
    ...headers,
    "content-type": "image/png",
    ...(etag !== undefined && { etag: `${etag.slice(0, -1)}-${scale}x"` }),
  };
}
