import { BlockList, isIPv4, isIPv6 } from "node:net";

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
  if (forwarded === null) return undefined;
  const [before, caller] = entriesAt(proxies, forwarded).map(ipAddress);
  // A proxy within that tells of a public caller is one more that was not counted.
  const isProxy = before !== undefined && !isPrivate(before) && caller !== undefined &&
    isPrivate(caller);
  return isProxy ? undefined : caller;
}

/**
 * The entry before the n-th from the right, and that one; empty where there are fewer. What stands further left is never
 * looked at: a caller may have put any amount of it there.
 */
function entriesAt(n: number, forwarded: string): [before: string, entry: string] {
  let rest = forwarded;
  let entry = "";
  for (let index = 0; index < n; index++) [rest, entry] = lastEntryOf(rest);
  return [lastEntryOf(rest)[1], entry];
}

function lastEntryOf(list: string): [rest: string, entry: string] {
  const comma = list.lastIndexOf(",");
  return [list.slice(0, Math.max(0, comma)), list.slice(comma + 1)];
}

/** Characters: 45 of an address, its brackets, the name of a network interface, a port, and blanks around it. */
const MAX_ENTRY_LENGTH = 100;
/** Brackets tell an IPv6 address from its port; without them a colon before the port is the only one. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/** An address with or without a port, brackets and zone, in its one spelling; undefined for anything else. */
function ipAddress(entry: string): string | undefined {
  if (entry.length > MAX_ENTRY_LENGTH) return undefined;
  const text = entry.trim();
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  const host = bracketed ?? plain ?? text;
  if (isIPv4(host)) return host;
  if (!isIPv6(host)) return undefined;
  const [address = ""] = host.split("%", 1);
  return unmapped(new URL(`http://[${address}]`).hostname);
}

/** An IPv4 address within IPv6 (RFC 4291, section 2.5.5.2), as URLs write it. */
const MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

function unmapped(hostname: string): string {
  const [, high = "", low = ""] = MAPPED.exec(hostname) ?? [];
  if (high === "") return hostname;
  const bits = parseInt(high, 16) * 0x10000 + parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
}

/** Loopback, private, shared and link-local networks (RFC 1918, RFC 3927, RFC 4193, RFC 4291, RFC 6598). */
const PRIVATE_NETWORKS = new BlockList();
for (
  const [network, bits] of [
    ["127.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
  ] as const
) PRIVATE_NETWORKS.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [["::1", 128], ["fc00::", 7], ["fe80::", 10]] as const) {
  PRIVATE_NETWORKS.addSubnet(network, bits, "ipv6");
}

function isPrivate(address: string): boolean {
  return address.startsWith("[")
    ? PRIVATE_NETWORKS.check(address.slice(1, -1), "ipv6")
    : PRIVATE_NETWORKS.check(address, "ipv4");
}
