import type { Log } from "../log.ts";
import { Recent } from "../recent.ts";

const HOUR_MS = 3_600_000;
/** How many origins are remembered for sure. */
const REMEMBERED = 1000;
/** Characters: whoever has the secret may send any. */
const MAX_ORIGIN_LENGTH = 300;

/** Warns where a page of another site shows the secret, which all who see that page have: once an hour for each origin. */
export function warnOfSecretOnPages(log: Log): (request: Request) => void {
  const warned = new Recent<string, number>(REMEMBERED);
  return ({ headers }) => {
    if (headers.get("sec-fetch-site") !== "cross-site") return;
    const origin = (headers.get("origin") ?? originOf(headers.get("referer"))).slice(
      0,
      MAX_ORIGIN_LENGTH,
    );
    const hour = Math.floor(Date.now() / HOUR_MS);
    if (warned.get(origin) === hour) return;
    warned.set(origin, hour);
    log.warn("the secret is on a web page: put a counter key there and choose a new secret", {
      origin,
    });
  };
}

function originOf(referer: string | null): string {
  return referer !== null && URL.canParse(referer) ? new URL(referer).origin : "unknown";
}
