import { gzip } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { acceptsGzip } from "../http/negotiation.ts";
import { createResponse, headersFor, inHtml, jsonResponse } from "../http/response.ts";
import { loadOnce } from "../waiting.ts";
import { composeSharedPage } from "../page/compose.ts";
import { bodies, json, operation, STORE_PROBLEMS, success } from "../openapi/responses.ts";
import { readRange } from "../read_counter.ts";
import type { Service } from "../service.ts";

/** Number of days on a shared page: those of its longest chart. */
const SHARED_DAYS = 400;
/** Number of counters on a shared page. */
const SHARED_COUNTERS = 20;

const PRIVATE = "private, no-store";

const embed = {
  name: "embed",
  meaning: "`1` leaves out the head and lets the sites in `EMBED_ORIGINS` embed the page.",
  schema: { type: "string", enum: ["1"] },
} as const satisfies Parameter;

const title = {
  name: "title",
  meaning: "The heading of the page. By default it is the last part of the prefix.",
  schema: { type: "string" },
} as const satisfies Parameter;

const theme = {
  name: "theme",
  meaning: "The color scheme of the page. `auto` follows the reader.",
  schema: { type: "string", default: "auto", enum: ["light", "dark", "auto"] },
} as const satisfies Parameter;

/** Maximum length of a title. */
const MAX_TITLE = 100;

/** `GET /p`: the numbers of a group as a page for people without the secret. */
export function sharedPage({ embedOrigins, publicUrl }: Service): Endpoint {
  const load = loadOnce(() => composeSharedPage(publicUrl));
  const headers = { ...headersFor("html", PRIVATE), "x-robots-tag": "noindex" };
  return endpoint("prefix", {
    summary: "Show a group to everyone with its read key",
    parameters: [embed, title, theme],
    errors: "html",
    async respond({ id, query, request }) {
      const { html, policy } = await load();
      const isEmbedded = query.get("embed") === "1" && embedOrigins.length > 0;
      const ancestors = isEmbedded ? embedOrigins.join(" ") : "'none'";
      const shown = (query.get("title") ?? "").slice(0, MAX_TITLE).trim();
      const heading = shown || (/[^/]+(?=\/*$)/.exec(id)?.[0] ?? id);
      const classes = [query.get("theme") ?? "auto", isEmbedded ? "embedded" : ""].join(" ").trim();
      const page = html.replace("<html", () => `<html class="${inHtml(classes)}"`)
        .replace("<!--head-->", () => headOf(heading, request, { embedOrigins, publicUrl }));
      const isPacked = acceptsGzip(request);
      return createResponse(isPacked ? await gzip(page) : page, {
        ...headers,
        "content-security-policy": policy.replace(
          "frame-ancestors 'none'",
          () => `frame-ancestors ${ancestors}`,
        ),
        ...(isPacked && { "content-encoding": "gzip" }),
      });
    },
    openapi: operation("Counters", "SharedPage", success("The page.", bodies.html)),
  });
}

/** Returns the part of the head that services read which show previews of links. */
function headOf(
  heading: string,
  request: Request,
  { embedOrigins, publicUrl }: Pick<Service, "embedOrigins" | "publicUrl">,
): string {
  const address = (path: string) =>
    publicUrl === undefined ? addressOf(path, request) : new URL(`${publicUrl}/${path}`);
  const [page, image] = [address("p"), address("preview.png")];
  for (const [name, value] of new URL(request.url).searchParams) {
    if (["prefix", "key"].includes(name)) image.searchParams.set(name, value);
    // Other parameters may hold the secret.
    if (["prefix", "key", "title"].includes(name)) page.searchParams.set(name, value);
  }
  const title = inHtml(`${heading} · Tallymark`);
  return `<title>${title}</title>
    <meta property="og:type" content="website">
    <meta property="og:title" content="${title}">
    <meta property="og:url" content="${inHtml(page.href)}">
    <meta property="og:description" content="${inHtml(`How often ${heading} was viewed.`)}">
    <meta property="og:image" content="${inHtml(image.href)}">
    <meta property="og:image:width" content="1200">
    <meta property="og:image:height" content="630">
    <meta name="twitter:card" content="summary_large_image">
    <link rel="alternate" type="application/atom+xml" href="feed.atom${inHtml(image.search)}">
    <meta name="embed-origins" content="${inHtml(embedOrigins.join(" "))}">`;
}

/** The path below which a proxy serves this service, such as `/hits`. */
const FORWARDED_PREFIX = /^(?:\/[\w.~-]+)+\/?$/;
/** Names and addresses of this machine, to which a client may connect without TLS. */
const LOCAL_HOST = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Returns the address of a path as clients of the proxy see it. It contains a read key, so it has
 * TLS unless the host is this machine.
 */
function addressOf(path: string, { headers, url }: Request): URL {
  // Reading these headers is safe, because only the client that sent them gets the response.
  const prefix = headers.get("x-forwarded-prefix") ?? "";
  const base = FORWARDED_PREFIX.test(prefix) ? prefix.replace(/\/?$/, "/") : "/";
  const found = new URL(base + path, url);
  const isSecure = headers.get("x-forwarded-proto") === "https";
  if (isSecure || !LOCAL_HOST.test(found.hostname)) found.protocol = "https:";
  return found;
}

/** `GET /p.json`: all data of a shared page. */
export function sharedData({ counters }: Service): Endpoint {
  return endpoint("prefix", {
    summary: "Read all data of a shared page",
    description:
      `The last ${SHARED_DAYS} days and the ${SHARED_COUNTERS} counters with the most hits, ` +
      "at most 10 s old.",
    async respond({ id, grant }) {
      const today = counters.calendar.today();
      const range = { first: today - SHARED_DAYS + 1, last: today, since: 0 };
      const [{ total, days, firstDay, older }, ranking] = await Promise.all([
        readRange(counters, { id, isPrefix: true, grant }, range),
        counters.groups.ranking(id, "total", grant === "secret"),
      ]);
      const body = {
        prefix: id,
        total,
        since: firstDay,
        older,
        timeZone: counters.calendar.timeZone,
        days,
        counters: ranking.slice(0, SHARED_COUNTERS),
      };
      return jsonResponse(body, PRIVATE);
    },
    openapi: operation(
      "Counters",
      "SharedData",
      success("The data.", json("Shared")),
      STORE_PROBLEMS,
    ),
  });
}
