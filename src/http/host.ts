import { Problem } from "../problem.ts";

const NAME_OR_IPV4 = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_.])?(?::\d{0,5})?$/;
const IPV6 = /^\[[0-9a-fA-F:.]{2,45}\](?::\d{0,5})?$/;

/** The host that Deno puts into a URL if the header is missing, empty or not text. */
const FALLBACK_HOST = /^localhost(?::|$)/;

/**
 * Returns a check that throws "bad-host" if the Host header of a request is not a host. It could
 * rewrite the URL that routing sees, as in `Host: a/hit?id=x#`.
 */
export function createHostCheck(): (request: Request) => void {
  /** The scheme, host and slash of the last valid URL, because most requests have the same. */
  let knownOrigin: string | undefined;

  return (request) => {
    const { url } = request;
    if (knownOrigin !== undefined && beginsOnlyWith(knownOrigin, url)) return;
    const host = request.headers.get("host");
    // The request line may have a host of its own.
    if ((host !== null && !isHost(host)) || !URL.canParse(url)) throw new Problem("bad-host");
    if (host === null) return;
    const origin = url.slice(0, url.indexOf("/", url.indexOf("//") + 2) + 1);
    if (origin.endsWith(`//${host}/`) && !FALLBACK_HOST.test(host)) knownOrigin = origin;
  };
}

function isHost(host: string): boolean {
  // Names such as 1.2.3.999 and xn--a have no meaning in a URL.
  return (NAME_OR_IPV4.test(host) || IPV6.test(host)) && URL.canParse(`http://${host}`);
}

/**
 * Reports whether the path follows the origin at once. If a slash or an asterisk comes later, the
 * path may begin there, and the text before it may be part of the header.
 *
 * Without this, every request would read its Host header, for which Deno copies all headers (reads
 * at 0.89 of the speed). If the request line holds a whole URL, its host takes precedence over the
 * header (RFC 9112, section 3.2.2).
 */
function beginsOnlyWith(origin: string, url: string): boolean {
  return url.startsWith(origin) && !url.includes("/", origin.length) &&
    !url.includes("*", origin.length);
}
