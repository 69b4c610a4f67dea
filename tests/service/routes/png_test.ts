import { deepStrictEqual, match, notStrictEqual, strictEqual } from "node:assert/strict";
import { counterId } from "../../../src/domain/counter_id.ts";
import { type Endpoint, endpoint } from "../../../src/http/endpoint.ts";
import { QueryValues } from "../../../src/http/query.ts";
import { createResponse } from "../../../src/http/response.ts";
import { Metrics } from "../../../src/metrics.ts";
import { Problem } from "../../../src/problem.ts";
import type { PngQueue } from "../../../src/png/png_queue.ts";
import { png } from "../../../src/routes/png.ts";
import { made, testApp, UNCACHED_IMAGE } from "../../support/app.ts";
import { SECRET } from "../../support/secret.ts";

const IMAGE = { accept: "image/png,image/*" };
const AUTHORIZED = { "x-auth-token": SECRET };
const PATHS = ["/badge.png", "/chart.png", "/calendar.png", "/card.png", "/preview.png"];

/** Reads the size of a PNG from its header. */
async function sizeOf(response: Response): Promise<[number, number]> {
  const view = new DataView(await response.arrayBuffer());
  strictEqual(view.getUint32(0), 0x89504e47);
  return [view.getUint32(16), view.getUint32(20)];
}

testApp("PNGs", {}, {
  async "every image has one, with the caching and CORS headers of the SVG image"(app) {
    await app.hit("blog/a", 3);
    for (const path of PATHS) {
      for (const subject of ["id=blog/a", "prefix=blog/"]) {
        const { status, headers } = await made(() => app.send(`GET ${path}?${subject}`));
        strictEqual(status, 200, path);
        deepStrictEqual(
          [
            headers["content-type"],
            headers["cache-control"],
            headers["access-control-allow-origin"],
          ],
          ["image/png", "no-cache, max-age=0, must-revalidate", "*"],
        );
        strictEqual(headers["content-security-policy"], undefined);
      }
    }
  },

  async "a chart has several counters and a goal has its share, as in the SVG image"(app) {
    await app.hit("a", 3);
    const bytes = async (path: string) =>
      new Uint8Array(await (await made(() => app.open(`GET ${path}`))).arrayBuffer()).join();
    notStrictEqual(await bytes("/chart.png?id=a&id=b"), await bytes("/chart.png?id=a&kind=total"));
    notStrictEqual(await bytes("/card.png?id=a&goal=4"), await bytes("/card.png?id=a&goal=9"));
    notStrictEqual(await bytes("/badge.png?id=a&goal=4"), await bytes("/badge.png?id=a"));
    strictEqual((await app.send("GET /chart.png?id=a&id=b&kind=bars")).status, 400);
  },

  async "scale is 1, 2 or 3, and 2 for anything else"(app) {
    const size = async (path: string) => await sizeOf(await made(() => app.open(`GET ${path}`)));
    const width = async (query: string) => (await size(`/card.png${query}`))[0];
    deepStrictEqual(await Promise.all(["?scale=1", "?scale=2", "?scale=3"].map(width)), [
      ...[400, 800, 1200],
    ]);
    for (const query of ["", "?scale=", "?scale=0", "?scale=4", "?scale=2.5", "?scale=x"]) {
      strictEqual(await width(query), 800, query);
    }
    deepStrictEqual(await size("/preview.png?scale=1"), [1200, 630]);
  },

  async "an ETag belongs to number, look and scale, and a client that has the PNG gets 304"(app) {
    const etag = async (query: string) => (await app.send(`GET /badge.png?${query}`)).headers.etag;
    const [tag = "", ...others] = await Promise.all(["", "scale=3", "color=red"].map(etag));
    match(tag, /^"[^"]+-2x"$/);
    for (const other of others) notStrictEqual(other, tag);
    for (const known of [tag, `W/${tag}`, "*"]) {
      const { status, body } = await app.send("GET /badge.png", { "if-none-match": known });
      deepStrictEqual([status, body], [304, ""]);
    }
    await app.hit("home");
    notStrictEqual(await etag(""), tag);
    strictEqual((await app.send("GET /badge.png", { "if-none-match": tag })).status, 200);
  },

  async "HEAD reports the length of the PNG, and /hit.png does not count it"(app) {
    const { byteLength } = await (await app.open("GET /badge.png")).arrayBuffer();
    const response = await app.open("HEAD /badge.png");
    strictEqual(response.headers.get("content-length"), String(byteLength));
    await app.send("HEAD /hit.png?id=head", AUTHORIZED);
    strictEqual(await app.count("head"), 0);
  },

  async "/hit.png: counts with the secret or a key, and is never cached"(app) {
    const { json } = await app.send("GET /key?id=hit/a", AUTHORIZED);
    const { key } = json as { key: string };
    const first = await app.send("GET /hit.png?id=hit/a", AUTHORIZED);
    const second = await app.send(`GET /hit.png?id=hit/a&key=${key}`, {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
    });
    for (const { status, headers } of [first, second]) {
      deepStrictEqual([status, headers["content-type"], headers["cache-control"]], [
        ...[200, "image/png", UNCACHED_IMAGE],
      ]);
    }
    strictEqual(await app.count("hit/a"), 2);
  },

  async "/hit.png: counts every hit, and says so where the queue is full"(app) {
    const responses = await Promise.all(
      Array.from(
        { length: 24 },
        () => app.send("GET /hit.png?id=full&label=full", { ...AUTHORIZED, ...IMAGE }),
      ),
    );
    const counted = responses.filter(({ headers }) => headers["x-tallymark"] === "counted");
    strictEqual(counted.length, 8);
    for (const { status, body } of responses) strictEqual(status, 200, body);
    for (const { body } of counted) strictEqual(body, counted[0]?.body);
    strictEqual(await app.count("full"), 24);
  },

  async "a full queue refuses other PNGs, and image clients get the busy PNG"(app) {
    const ask = (headers: HeadersInit, color: string) =>
      Promise.all(
        Array.from(
          { length: 20 },
          (_, number) => app.send(`GET /badge.png?color=${color}${number + 10}`, headers),
        ),
      );
    const busy = (await ask(IMAGE, "a0a0"))
      .filter(({ headers }) => headers["x-tallymark"] === "busy");
    const refused = (await ask({}, "b0b0")).filter(({ status }) => status === 503);
    deepStrictEqual([busy.length, refused.length], [4, 4]);
    for (const { status, headers, body } of busy) {
      deepStrictEqual([status, headers["retry-after"], body], [200, "1", busy[0]?.body]);
    }
    for (const { headers } of refused) {
      deepStrictEqual([headers["content-type"], headers["retry-after"]], ["image/png", "1"]);
    }
  },
});

testApp("PNGs where reads are protected", { openReads: false }, {
  async "an error is drawn as a PNG, with 200 for image clients"(app) {
    for (const path of [...PATHS, "/hit.png"]) {
      const asked = await app.send(`GET ${path}`, IMAGE);
      deepStrictEqual(
        [asked.status, asked.headers["content-type"], asked.headers["x-tallymark"]],
        [200, "image/png", "unauthorized"],
        path,
      );
      const plain = await app.send(`GET ${path}`);
      deepStrictEqual([plain.status, plain.headers["content-type"]], [401, "image/png"], path);
    }
  },
});

/** A pngQueue whose renders fail. */
const failing: PngQueue = {
  rasterize: () => Promise.reject(new Problem("busy")),
  rasterizeFixed: () => Promise.reject(new Problem("busy")),
  notice: (text) => Promise.resolve(new TextEncoder().encode(text)),
  close() {},
};

function respondWith(headers: Record<string, string>, method = "GET", counts = true) {
  const image: Endpoint = endpoint("counter", {
    summary: "Draw",
    respond: () => createResponse("<svg/>", headers),
  });
  // Cast: png() uses nothing else of the service.
  const service = { pngQueue: failing, metrics: new Metrics() } as Parameters<typeof png>[1];
  const request = new Request("http://localhost/hit.png", { method });
  const run = png(image, service, { counts }).prepare(new QueryValues(), request);
  const id = counterId("home");
  const context = {
    id,
    isPrefix: false,
    connection: {},
    query: new QueryValues(),
    grant: "secret",
  } as const;
  return run({ ...context, request });
}

Deno.test("/hit.png: if a hit was counted but cannot be drawn, the fixed PNG says so", async () => {
  for (const headers of [{}, { "x-tallymark": "camo" }]) {
    const response = await respondWith(headers);
    strictEqual(response.status, 200);
    strictEqual(response.headers.get("x-tallymark"), "counted");
    strictEqual(await response.text(), "counted");
  }
});

Deno.test("/hit.png: if nothing was counted, an image that cannot be drawn is busy", async () => {
  const kindOf = (run: Response | Promise<Response>) =>
    Promise.resolve(run).then(() => undefined, (problem) => problem.kind);
  for (const flag of ["bot", "prefetch", "repeat", "store-unavailable"]) {
    strictEqual(await kindOf(respondWith({ "x-tallymark": flag })), "busy", flag);
  }
  strictEqual(await kindOf(respondWith({}, "HEAD")), "busy");
  strictEqual(await kindOf(respondWith({}, "GET", false)), "busy");
});
