import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Page } from "playwright-core";
import { needsChromium, shareChromium, sharedChromium } from "../support/chromium.ts";
import { type ServiceAddress, startLocalService } from "../support/local_service.ts";
import { authorized, SECRET } from "../support/secret.ts";

shareChromium();

const ID = "user/repo";
/** The policy that GitHub's image proxy sends with every image. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

interface Shown {
  readonly service: ServiceAddress;
  readonly proxy: ImageProxy;
  readonly page: Page;
  readonly key: string;
}

/** Tests a page that shows images of a service through the proxy. */
function testImages(name: string, test: (at: Shown) => Promise<void>): void {
  Deno.test(name, needsChromium, async () => {
    await using service = await startLocalService({ SECRET_TOKEN: SECRET });
    await using proxy = startImageProxy();
    const page = await sharedChromium().newPage({ extraHTTPHeaders: { cookie: "reader=1" } });
    await using _ = { [Symbol.asyncDispose]: () => page.close() };
    await test({ service, proxy, page, key: await keyOf(service) });
  });
}

testImages(
  "/hit.svg shows in a page as GitHub's image proxy serves it, and each showing counts once",
  async ({ service, proxy, page, key }) => {
    const looks = [
      ...["", "&style=terminal", "&style=for-the-badge&theme=auto", "&label=日本&numbers=grouped"],
    ];
    for (const [index, look] of looks.entries()) {
      await page.goto(proxy.pageFor([imageUrl(service, key, look)]));
      const [image] = await page.evaluate<Size[]>(DECODED);
      ok(
        image !== undefined && image.width > 40 && image.height >= 20,
        `${look} ${JSON.stringify(image)}`,
      );
      strictEqual(await countOf(service), index + 1, look);
    }
  },
);

testImages(
  "/hit.svg opened on its own under the proxy's policy breaks none of its rules",
  async ({ service, proxy, page, key }) => {
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const looks = ["", "&style=terminal&theme=auto", "&style=plastic", "&style=for-the-badge"];
    for (const look of looks) {
      const response = await page.goto(proxy.addressOf(imageUrl(service, key, look)));
      strictEqual(response?.headers()["content-security-policy"], POLICY);
      strictEqual(await page.evaluate("document.documentElement.getAttribute('role')"), "img");
    }
    deepStrictEqual(complaints, []);
  },
);

testImages(
  "/hit.svg with a wrong key shows as an image too, and counts nothing",
  async ({ service, proxy, page }) => {
    await page.goto(proxy.pageFor([imageUrl(service, "wrong")]));
    const [image] = await page.evaluate<Size[]>(DECODED);
    ok(image !== undefined && image.width > 40, JSON.stringify(image));
    strictEqual(await countOf(service), 0);
  },
);

testImages(
  "/hit.svg answers the HEAD of a link checker with 200 and counts neither that nor a browser's prefetch",
  async ({ service, proxy, page, key }) => {
    const url = imageUrl(service, key);
    for (const address of [url, proxy.addressOf(url)]) {
      const { status, headers } = await fetch(address, { method: "HEAD" });
      strictEqual(status, 200);
      ok(headers.get("content-type")?.startsWith("image/svg+xml"));
    }
    await page.goto(proxy.pageFor([], url));
    ok((await proxy.prefetched).includes("prefetch"), "the browser did prefetch it");
    strictEqual(await countOf(service), 0);
    // This browser counts when it shows the image, so it must not keep the prefetched one.
    await page.goto(proxy.pageFor([url]));
    await page.evaluate<Size[]>(DECODED);
    strictEqual(await countOf(service), 1);
  },
);

/** Runs in the page: the sizes of all its images, once they are decoded. */
const DECODED = `Promise.all([...document.images].map(async (image) => {
  await image.decode();
  return { width: image.naturalWidth, height: image.naturalHeight };
}))`;

interface Size {
  width: number;
  height: number;
}

interface ImageProxy extends AsyncDisposable {
  /** Resolves with `Sec-Purpose` when a browser prefetches something. */
  readonly prefetched: Promise<string>;
  /** The address of an image on the proxy. */
  addressOf(url: string): string;
  /** The address of a page that shows these images and prefetches another. */
  pageFor(urls: string[], prefetch?: string): string;
}

/**
 * The statuses that image proxies pass on. For all others the page shows a broken image (go-camo
 * 2.4 and 2.7).
 */
const PASSED_ON: readonly number[] = [200, 206, 304];

/**
 * As GitHub's: sends no cookie, referrer or address of the reader, and serves only images, under
 * its own policy.
 */
function startImageProxy(): ImageProxy {
  const prefetch = Promise.withResolvers<string>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const target = searchParams.get("url") ?? "";
    if (pathname === "/page") {
      return page(searchParams.getAll("image"), searchParams.get("prefetch"));
    }
    if (pathname !== "/image") return new Response(null, { status: 404 });
    const purpose = request.headers.get("sec-purpose");
    const headers = new Headers({ accept: "image/*", "user-agent": "github-camo" });
    if (purpose !== null) headers.set("sec-purpose", purpose);
    const answer = await fetch(target, { method: request.method, headers });
    if (purpose !== null) prefetch.resolve(purpose);
    const type = answer.headers.get("content-type") ?? "";
    if (!type.startsWith("image/") || !PASSED_ON.includes(answer.status)) {
      return new Response(null, { status: 404 });
    }
    return new Response(answer.body, {
      status: answer.status,
      headers: {
        "content-type": type,
        "cache-control": answer.headers.get("cache-control") ?? "max-age=31536000",
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
      },
    });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const addressOf = (image: string) => `${url}/image?url=${encodeURIComponent(image)}`;
  return {
    prefetched: prefetch.promise,
    addressOf,
    pageFor: (urls, prefetched) => {
      const query = urls.map((image) => ["image", addressOf(image)]);
      if (prefetched !== undefined) query.push(["prefetch", addressOf(prefetched)]);
      return `${url}/page?${new URLSearchParams(query)}`;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function page(images: string[], prefetch: string | null): Response {
  const escaped = (url: string) => url.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const html = images.map((url) => `<img alt="views" src="${escaped(url)}">`).join("\n");
  const link = prefetch === null ? "" : `<link rel="prefetch" href="${escaped(prefetch)}">`;
  return new Response(`<!doctype html><title>README</title>${link}\n${html}`, {
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}

function imageUrl({ url }: ServiceAddress, key: string, look = ""): string {
  return encodeURI(`${url}/hit.svg?id=${ID}&key=${key}${look}`);
}

async function keyOf({ url }: ServiceAddress): Promise<string> {
  const answer = await fetch(`${url}/key?id=${ID}`, { headers: authorized });
  return (await answer.json()).key;
}

async function countOf({ url }: ServiceAddress): Promise<number> {
  const answer = await fetch(`${url}/count?id=${ID}`, { headers: authorized });
  return (await answer.json()).hits;
}
