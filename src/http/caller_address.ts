/** How far the addresses of callers can be known. */
export interface CallerAddressOptions {
  /** Who is at the other end of the connection. */
  peer: string;
  /** The header `X-Forwarded-For`, all of them joined by commas; null where there is none. */
  forwarded: string | null;
  proxies: Proxies;
}

/** How many proxies of the owner's stand before the service; or that Deno Deploy does, whose peer is the caller. */
export type Proxies = number | "deploy";

/**
 * The address of the caller in its one spelling; undefined where it cannot be known, as all callers behind a proxy that
 * is not counted, or counted too often, would be taken for one.
 */
export function callerAddress(
  { peer, forwarded, proxies }: CallerAddressOptions,
): string | undefined {
  if (proxies === "deploy") return ipAddress(peer);
  if (proxies === 0) return forwarded === null ? ipAddress(peer) : undefined;
  const hops = forwarded?.split(",").map(ipAddress) ?? [];
  const caller = hops.at(-proxies);
  const before = hops.at(-proxies - 1);
  // A proxy within that tells of a public caller is one more that was not counted.
  const isProxy = before !== undefined && !isWithin(before) && caller !== undefined &&
    isWithin(caller);
  return isProxy ? undefined : caller;
}

const IPV4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/;
const IPV6 = /^(?:\[([\da-f:.]+)(?:%[^\]]*)?\](?::\d{1,5})?|([\da-f:.]*:[\da-f:.]*)(?:%.*)?)$/i;
/** An IPv4 address within IPv6 (RFC 4291, section 2.5.5.2), as URLs write it. */
const MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

/** An address with or without a port, brackets and zone, in its one spelling; undefined for anything else. */
function ipAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const [, ipv4] = IPV4.exec(trimmed) ?? [];
  const [, bracketed, bare] = IPV6.exec(trimmed) ?? [];
  const ipv6 = bracketed ?? bare;
  const host = ipv4 ?? (ipv6 === undefined ? undefined : `[${ipv6}]`);
  if (host === undefined || !URL.canParse(`http://${host}`)) return undefined;
  return unmapped(new URL(`http://${host}`).hostname);
}

function unmapped(hostname: string): string {
  const [, high = "", low = ""] = MAPPED.exec(hostname) ?? [];
  if (high === "") return hostname;
  const bits = parseInt(high, 16) * 0x10000 + parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
}

/** Loopback, private and link-local networks (RFC 1918, RFC 4193, RFC 4291). */
const WITHIN =
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[::1\]|\[f[cd]|\[fe[89ab])/;

function isWithin(address: string): boolean {
  return WITHIN.test(address);
}
