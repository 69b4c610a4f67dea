import * as pictures from "./chart/pictures.ts";
import { compat } from "./compat/compat.ts";
import { leancloud } from "./compat/leancloud.ts";
import { createDispatcher } from "./http/dispatch.ts";
import { GET_HEAD, GET_HEAD_OPTIONS, type Route, route } from "./http/endpoint.ts";
import { badge, badgeJson } from "./routes/badge.ts";
import { parseOthers, picture } from "./routes/chart.ts";
import { count, countText } from "./routes/count.ts";
import { counts } from "./routes/counts.ts";
import { days } from "./routes/days.ts";
import { listDecisions } from "./routes/decisions.ts";
import { openapiDocument, reference } from "./routes/docs.ts";
import { feed } from "./routes/feed.ts";
import { go } from "./routes/go.ts";
import { health, readiness, status } from "./routes/health.ts";
import { hit } from "./routes/hit.ts";
import { hitImage } from "./routes/hit_image.ts";
import { counterKey } from "./routes/key.ts";
import {
  deleteCounter,
  importCounters,
  listCounters,
  moveCounters,
  setCounter,
} from "./routes/manage_counters.ts";
import { metricsText } from "./routes/metrics_text.ts";
import { png } from "./routes/png.ts";
import { sampleBadge, samplePicture } from "./routes/sample.ts";
import { dataScript, like, tally, topList } from "./routes/scripts.ts";
import { createService, type Service, type ServiceOptions } from "./service.ts";
import { session } from "./routes/session.ts";
import { sharedData, sharedPage } from "./routes/shared_page.ts";
import { top } from "./routes/top.ts";
import { welcome } from "./routes/welcome.ts";

/** Returns the route table: path, methods, access level, CORS policy, endpoint. */
// deno-fmt-ignore: one line for each route
function routesOf(s: Service): readonly Route[] {
  const readCors = s.readPolicy.isPublic ? "any" : "none";
  const routes: readonly Route[] = [
    route("/hit", ["GET", "POST", "OPTIONS"], "keyholder", "none", hit(s)),
    route("/hit.svg", GET_HEAD_OPTIONS, "keyholder", "image", hitImage(s, "svg")),
    route("/hit.png", GET_HEAD_OPTIONS, "keyholder", "image", png(hitImage(s, "png"), s, { counts: true })),
    route("/go", GET_HEAD, "anyone", "none", go(s)),
    route("/count", GET_HEAD_OPTIONS, "reader", readCors, count(s)),
    route("/count.txt", GET_HEAD_OPTIONS, "reader", readCors, countText(s)),
    route("/counts", GET_HEAD_OPTIONS, "reader", readCors, counts(s)),
    route("/top", GET_HEAD_OPTIONS, "lister", "none", top(s)),
    route("/badge", GET_HEAD_OPTIONS, "reader", readCors, badge(s, "svg")),
    route("/badge.json", GET_HEAD_OPTIONS, "reader", readCors, badgeJson(s)),
    route("/chart.svg", GET_HEAD_OPTIONS, "reader", readCors, picture(s, "svg", pictures.chart, parseOthers)),
    route("/calendar.svg", GET_HEAD_OPTIONS, "reader", readCors, picture(s, "svg", pictures.calendar)),
    route("/card.svg", GET_HEAD_OPTIONS, "reader", readCors, picture(s, "svg", pictures.card)),
    route("/badge.png", GET_HEAD_OPTIONS, "reader", readCors, png(badge(s, "png"), s)),
    route("/chart.png", GET_HEAD_OPTIONS, "reader", readCors, png(picture(s, "png", pictures.chart, parseOthers), s)),
    route("/calendar.png", GET_HEAD_OPTIONS, "reader", readCors, png(picture(s, "png", pictures.calendar), s)),
    route("/card.png", GET_HEAD_OPTIONS, "reader", readCors, png(picture(s, "png", pictures.card), s)),
    route("/preview.png", GET_HEAD_OPTIONS, "reader", readCors, png(picture(s, "png", pictures.preview), s, { scale: 3 })),
    route("/key", GET_HEAD, "owner", "none", counterKey(s)),
    route("/p", GET_HEAD_OPTIONS, "viewer", "none", sharedPage(s)),
    route("/p.json", GET_HEAD_OPTIONS, "viewer", "none", sharedData(s)),
    route("/days", GET_HEAD_OPTIONS, "reader", readCors, days(s)),
    route("/feed.atom", GET_HEAD_OPTIONS, "reader", readCors, feed(s)),
    route("/counters", ["GET"], "backup", "none", listCounters(s)),
    route("/counters", ["PUT"], "owner", "none", setCounter(s)),
    route("/counters", ["DELETE"], "owner", "none", deleteCounter(s)),
    route("/counters", ["POST"], "import", "none", importCounters(s)),
    route("/counters/move", ["POST"], "owner", "none", moveCounters(s)),
    route("/decisions", ["GET"], "owner", "none", listDecisions(s)),
    route("/status", ["GET"], "owner", "none", status(s)),
    route("/session", ["POST"], "secretholder", "none", session(s)),
    route("/tally.js", GET_HEAD_OPTIONS, "anyone", "any", tally),
    route("/like.js", GET_HEAD_OPTIONS, "anyone", "any", like),
    route("/top.js", GET_HEAD_OPTIONS, "anyone", "any", topList),
    route("/api", GET_HEAD, "anyone", "none", reference(() => routes, s)),
    route("/openapi.json", GET_HEAD_OPTIONS, "anyone", "any", openapiDocument(() => routes)),
    route("/metrics", GET_HEAD, "metrics", "none", metricsText(s)),
    route("/healthz", GET_HEAD, "anyone", "none", health),
    route("/readyz", GET_HEAD, "anyone", "none", readiness(s)),
    route("/sample/badge", GET_HEAD, "anyone", "none", sampleBadge(s)),
    route("/sample/chart.svg", GET_HEAD, "anyone", "none", samplePicture(s, pictures.chart)),
    route("/sample/calendar.svg", GET_HEAD, "anyone", "none", samplePicture(s, pictures.calendar)),
    route("/sample/card.svg", GET_HEAD, "anyone", "none", samplePicture(s, pictures.card)),
    route("/as/leancloud/*", ["GET", "POST", "PUT", "OPTIONS"], "prefix", "none", leancloud(s)),
    route("/as/*", [...GET_HEAD_OPTIONS, "POST"], "anyone", "any", compat(s, () => routes)),
    route("/data.js", GET_HEAD, "anyone", "none", dataScript),
    route("/", GET_HEAD, "anyone", "none", welcome(() => routes, s)),
  ];
  return routes;
}

/**
 * Creates the HTTP surface of counters.
 *
 * @example
 * ```ts
 * const app = createApp({ config, counters, metrics, log });
 * Deno.serve((request, connection) => app.fetch(request, connection));
 * ```
 */
export function createApp(options: ServiceOptions) {
  const service = createService(options);
  const routes = routesOf(service);
  return {
    fetch: createDispatcher({ ...service, routes }),
    routes,
    /** Has every response from now on close its connection. */
    drain() {
      service.draining.hasBegun = true;
    },
    close: service.close,
  };
}
