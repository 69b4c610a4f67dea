export interface CallerAddressOptions {
  /** The remote address of the connection. */
  remoteAddress: string;
  /** The value of `X-Forwarded-For`. Null if it is missing. */
  forwarded: string | null;
  proxies: Proxies;
}

/**
 * Number of the owner's proxies in front of the server. Behind Deno Deploy the remote address is
 * already that of the caller.
 */
export type Proxies = number | "deploy";

/** The address of a caller in its canonical form, or the reason why it is unknown. */
export type Caller = { readonly address: string } | { readonly unknown: string };

export type CallerAddress = (options: CallerAddressOptions) => Caller;

/** Loads node:net, which would add 20 ms to every start. */
export async function loadCallerAddress(): Promise<CallerAddress> {
  const { BlockList, isIPv4, isIPv6 } = await import("node:net");

  /**
   * Loopback, private, shared and link-local networks (RFC 1918, RFC 3927, RFC 4193, RFC 4291,
   * RFC 6598).
   */
  const privateNetworks = new BlockList();
  for (const [network, bits] of PRIVATE_IPV4) privateNetworks.addSubnet(network, bits, "ipv4");
  for (const [network, bits] of PRIVATE_IPV6) privateNetworks.addSubnet(network, bits, "ipv6");

  /** Never guesses: with a wrong TRUST_PROXY, all callers behind a proxy would have its address. */
  function callerAddress({ remoteAddress, forwarded, proxies }: CallerAddressOptions): Caller {
    if (proxies === "deploy") return callerAt(ipAddress(remoteAddress));
    if (proxies === 0) return forwarded === null ? callerAt(ipAddress(remoteAddress)) : FORWARDED;
    const entries = forwarded ? forwarded.split(",") : [];
    const [entry, entryBefore = ""] = [entries.at(-proxies), entries.at(-proxies - 1)];
    if (entry === undefined) return TOO_FEW;
    const [before, caller] = [entryBefore, entry].map(ipAddress);
    // A private address that is called from a public one is another proxy.
    const isProxy = before !== undefined && !isPrivate(before) && caller !== undefined &&
      isPrivate(caller);
    return isProxy ? ONE_MORE : callerAt(caller);
  }

  /**
   * Parses an address with or without a port, brackets and zone. Returns undefined for anything
   * else.
   */
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

  function isPrivate(address: string): boolean {
    return address.startsWith("[")
      ? privateNetworks.check(address.slice(1, -1), "ipv6")
      : privateNetworks.check(address, "ipv4");
  }

  return callerAddress;
}

const FORWARDED = { unknown: "TRUST_PROXY is 0 and a proxy forwarded the request" };
const TOO_FEW = { unknown: "X-Forwarded-For has fewer entries than TRUST_PROXY says" };
const ONE_MORE = { unknown: "X-Forwarded-For names one more proxy than TRUST_PROXY says" };
const NO_ADDRESS = { unknown: "where the address of the caller should be is none" };

function callerAt(address: string | undefined): Caller {
  return address === undefined ? NO_ADDRESS : { address };
}

/** Maximum length of an entry in characters. An IPv6 address has 45 without its zone and port. */
const MAX_ENTRY_LENGTH = 100;
/** An address with a port is in brackets or has no other colon. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/** An IPv4 address within IPv6 (RFC 4291, section 2.5.5.2), as URLs write it. */
const MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

function unmapped(hostname: string): string {
  const [, high = "", low = ""] = MAPPED.exec(hostname) ?? [];
  if (high === "") return hostname;
  const bits = parseInt(high, 16) * 0x10000 + parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
}

const PRIVATE_IPV4 = [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const;
const PRIVATE_IPV6 = [["::1", 128], ["fc00::", 7], ["fe80::", 10]] as const;
