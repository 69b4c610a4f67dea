import * as pictures from "./chart/pictures.ts";
import { createDispatcher, type Dispatcher } from "./http/dispatch.ts";
import { READ, type Route, route, SHARED_READ } from "./http/endpoint.ts";
import { badge, badgeJson } from "./routes/badge.ts";
import { parseOthers, picture } from "./routes/chart.ts";
import { compat } from "./routes/compat.ts";
import { count, countText } from "./routes/count.ts";
import { deleteCounter, importCounters, listCounters, setCounter } from "./routes/counters.ts";
import { counts, top } from "./routes/counts.ts";
import { days } from "./routes/days.ts";
import { openapiDocument, reference } from "./routes/docs.ts";
import { hit } from "./routes/hit.ts";
import { hitImage } from "./routes/hit_image.ts";
import { leancloud } from "./routes/leancloud.ts";
import { metricsText } from "./routes/metrics.ts";
import { counterKey, listDecisions, session } from "./routes/owner.ts";
import { png } from "./routes/png.ts";
import { sampleBadge, samplePicture } from "./routes/sample.ts";
import {
  createService,
  health,
  readiness,
  type Service,
  type ServiceOptions,
} from "./routes/service.ts";
import { sharedData, sharedPage } from "./routes/shared.ts";
import { like, tally } from "./routes/tally.ts";
import { welcome } from "./routes/welcome.ts";

/** Returns the route table: path, methods, access level, CORS policy, endpoint. */
// deno-fmt-ignore: one line for each route
function routesOf(s: Service): readonly Route[] {
  const readCors = s.reads.cors;
  const routes: readonly Route[] = [
    route("/hit", ["GET", "POST", "OPTIONS"], "keyholder", "none", hit(s)),
    route("/hit.svg", SHARED_READ, "keyholder", "image", hitImage(s)),
    route("/hit.png", SHARED_READ, "keyholder", "image", png(hitImage(s), s, { counts: true })),
    route("/count", SHARED_READ, "reader", readCors, count(s)),
    route("/count.txt", SHARED_READ, "reader", readCors, countText(s)),
    route("/counts", SHARED_READ, "reader", readCors, counts(s)),
    route("/top", SHARED_READ, "lister", "none", top(s)),
    route("/badge", SHARED_READ, "reader", readCors, badge(s)),
    route("/badge.json", SHARED_READ, "reader", readCors, badgeJson(s)),
    route("/chart.svg", SHARED_READ, "reader", readCors, picture(s, pictures.chart, parseOthers)),
    route("/calendar.svg", SHARED_READ, "reader", readCors, picture(s, pictures.calendar)),
    route("/card.svg", SHARED_READ, "reader", readCors, picture(s, pictures.card)),
    route("/badge.png", SHARED_READ, "reader", readCors, png(badge(s), s)),
    route("/chart.png", SHARED_READ, "reader", readCors, png(picture(s, pictures.chart, parseOthers), s)),
    route("/calendar.png", SHARED_READ, "reader", readCors, png(picture(s, pictures.calendar), s)),
    route("/card.png", SHARED_READ, "reader", readCors, png(picture(s, pictures.card), s)),
    route("/preview.png", SHARED_READ, "reader", readCors, png(picture(s, pictures.preview), s, { scale: 3 })),
    route("/key", READ, "owner", "none", counterKey(s)),
    route("/p", SHARED_READ, "viewer", "none", sharedPage(s)),
    route("/p.json", SHARED_READ, "viewer", "none", sharedData(s)),
    route("/days", SHARED_READ, "reader", readCors, days(s)),
    route("/counters", ["GET"], "owner", "none", listCounters(s)),
    route("/counters", ["PUT"], "owner", "none", setCounter(s)),
    route("/counters", ["DELETE"], "owner", "none", deleteCounter(s)),
    route("/counters", ["POST"], "owner", "none", importCounters(s)),
    route("/decisions", ["GET"], "owner", "none", listDecisions(s)),
    route("/session", ["POST"], "secretholder", "none", session(s)),
    route("/tally.js", SHARED_READ, "anyone", "any", tally),
    route("/like.js", SHARED_READ, "anyone", "any", like),
    route("/api", READ, "anyone", "none", reference(() => routes)),
    route("/openapi.json", SHARED_READ, "anyone", "any", openapiDocument(() => routes)),
    route("/metrics", READ, "owner", "none", metricsText(s)),
    route("/healthz", READ, "anyone", "none", health),
    route("/readyz", READ, "anyone", "none", readiness(s)),
    route("/sample/badge", READ, "anyone", "none", sampleBadge(s)),
    route("/sample/chart.svg", READ, "anyone", "none", samplePicture(s, pictures.chart)),
    route("/sample/calendar.svg", READ, "anyone", "none", samplePicture(s, pictures.calendar)),
    route("/sample/card.svg", READ, "anyone", "none", samplePicture(s, pictures.card)),
    route("/as/leancloud/*", ["GET", "POST", "PUT", "OPTIONS"], "prefix", "none", leancloud(s)),
    route("/as/*", [...SHARED_READ, "POST"], "anyone", "any", compat(s)),
    route("/", READ, "anyone", "none", welcome(() => routes, s)),
  ];
  return routes;
}

/** Creates the HTTP surface of counters. */
export function createApp(options: ServiceOptions) {
  const service = createService(options, (path, call) => dispatcher.call(path, call));
  const routes = routesOf(service);
  const dispatcher: Dispatcher = createDispatcher({ ...service, routes });
  return {
    fetch: dispatcher.handle,
    routes,
    /**
     * Loads the modules that compose pages. Without a free file descriptor, Deno panics when it
     * imports a file, so a server loads them before a flood of connections can use up all of them.
     */
    preload: () =>
      Promise.all([
        import("./page/compose.ts"),
        import("./page/reference.ts"),
        import("./openapi/document.ts"),
      ]).catch((cause) => service.log.error("unexpected error", { cause })),
    /** Has every response from now on close its connection. */
    drain() {
      service.draining.hasBegun = true;
    },
    /** Ends the thread that draws PNGs. */
    close: service.renderer.close,
  };
}
