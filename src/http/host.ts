import { Problem } from "../problem.ts";

const NAME_OR_IPV4 = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_.])?(?::(\d{0,5}))?$/;
const IPV6 = /^\[[0-9a-fA-F:.]{2,45}\](?::(\d{0,5}))?$/;

/** What Deno puts into a URL where the header is missing, empty or no text. */
const FALLBACK_HOST = /^localhost(?::|$)/;

/** Throws the problem "bad-host" where the Host header of a request is no host. */
export type HostCheck = (request: Request) => void;

/** A Host header that is no host can rewrite the URL that routing sees: `Host: a/hit?id=x#`. */
export function createHostCheck(): HostCheck {
  /** How the URLs begin that name the host last found right: most requests name the one that the service is known by. */
  let knownBeginning: string | undefined;

  return (request) => {
    const { url } = request;
    if (knownBeginning !== undefined && beginsOnlyWith(knownBeginning, url)) return;
    const host = request.headers.get("host");
    if (host === null) return;
    if (!isHost(host)) throw new Problem("bad-host");
    const beginning = url.slice(0, url.indexOf("/", url.indexOf("//") + 2) + 1);
    if (beginning.endsWith(`//${host}/`) && !FALLBACK_HOST.test(host)) knownBeginning = beginning;
  };
}

function isHost(host: string): boolean {
  const found = NAME_OR_IPV4.exec(host) ??
    (URL.canParse(`http://${host}`) ? IPV6.exec(host) : null);
  return found !== null && Number(found[1] ?? 0) <= 65535;
}

/**
 * Whether the path that was asked for, which begins with a slash or an asterisk, follows at once: where another of these
 * comes later that path may begin there, and what stands before it was in the header. So a host is known without the
 * header; to look at one has Deno keep all headers of the request, which takes a twentieth of a read. Where the request
 * line holds a whole URL its host is the one that counts, whatever the header says (RFC 9112, section 3.2.2).
 */
function beginsOnlyWith(beginning: string, url: string): boolean {
  return url.startsWith(beginning) && !url.includes("/", beginning.length) &&
    !url.includes("*", beginning.length);
}
