import { strictEqual } from "node:assert/strict";
import { acceptsGzip } from "../../src/http/accept.ts";

const encodings: { header: string | undefined; accepts: boolean }[] = [
  { header: undefined, accepts: false },
  { header: "", accepts: false },
  { header: "gzip", accepts: true },
  { header: "GZIP", accepts: true },
  { header: "x-gzip", accepts: true },
  { header: "deflate, gzip;q=1.0, *;q=0.5", accepts: true },
  { header: "br,gzip ; q=0.001", accepts: true },
  { header: "*", accepts: true },
  { header: "br, *;q=0.1", accepts: true },
  { header: "gzip;q=0", accepts: false },
  { header: "gzip; Q=0.000, *", accepts: false },
  { header: "*;q=0", accepts: false },
  { header: "identity", accepts: false },
  { header: "br, not-gzip, gzipped", accepts: false },
];

for (const { header, accepts } of encodings) {
  Deno.test(`acceptsGzip() says ${accepts} of Accept-Encoding: ${header ?? "(none)"}`, () => {
    const headers = header === undefined ? {} : { "accept-encoding": header };
    const request = new Request("http://localhost/", { headers: new Headers(headers) });
    strictEqual(acceptsGzip(request), accepts);
  });
}
