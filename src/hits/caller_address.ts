import type { RequestContext } from "../http/endpoint.ts";

/**
 * Number of the owner's proxies in front of the server. Behind Deno Deploy the remote address is
 * already that of the caller.
 */
export type Proxies = number | "deploy";

/** The address of a caller in its canonical form, or the reason why it is unknown. */
export type Caller = { readonly address: string } | { readonly unknown: string };

/** A request, and the connection on which it arrived. */
export type SentRequest = Pick<RequestContext, "request" | "connection">;

/**
 * Returns the address of a caller, or that it is unknown if the headers show that TRUST_PROXY is
 * wrong. All callers behind a proxy would have its address then.
 */
export function callerOf(sent: SentRequest, proxies: Proxies): Caller {
  const caller = callerBehind(sent, proxies);
  // The address of the client of Cloudflare.
  const client = sent.request.headers.get("cf-connecting-ip");
  if (proxies === "deploy" || client === null || "unknown" in caller) return caller;
  return caller.address === ipAddress(client) ? caller : CLOUDFLARE;
}

/** Returns the network of the client of a request, or one name for all clients that are unknown. */
export function networkOfCaller(sent: SentRequest, proxies: Proxies): string {
  const caller = callerOf(sent, proxies);
  return "address" in caller ? networkOf(caller.address) : "unknown";
}

/**
 * Returns an address without the part that changes by itself: of IPv6 the first 64 bits, because
 * browsers use other ones of their network every day (RFC 8981).
 */
export function networkOf(address: string): string {
  if (!address.startsWith("[")) return address;
  const [before = [], after] = address.slice(1, -1).split("::").map((part) => part.split(":"));
  const zeros = after === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...new Array(zeros).fill("0"), ...after ?? []].slice(0, 4).join(":");
}

function callerBehind(
  { request: { headers }, connection }: SentRequest,
  proxies: Proxies,
): Caller {
  const remoteAddress = connection.remoteAddr?.hostname ?? "";
  if (proxies === "deploy") return callerAt(ipAddress(remoteAddress));
  // The address is unknown if only another header shows a proxy.
  const isForwarded = headers.has("forwarded") || headers.has("x-real-ip");
  const forwarded = headers.get("x-forwarded-for") ?? (isForwarded ? "" : null);
  if (proxies === 0) return forwarded === null ? callerAt(ipAddress(remoteAddress)) : FORWARDED;
  const entries = forwarded ? forwarded.split(",") : [];
  const [entry, entryBefore = ""] = [entries.at(-proxies), entries.at(-proxies - 1)];
  if (entry === undefined) return TOO_FEW;
  const [before, caller] = [entryBefore, entry].map(ipAddress);
  // A private address that is called from a public one is another proxy.
  const isProxy = before !== undefined && !PRIVATE.test(before) && caller !== undefined &&
    PRIVATE.test(caller);
  return isProxy ? ONE_MORE : callerAt(caller);
}

const FORWARDED = { unknown: "TRUST_PROXY is 0 and a proxy forwarded the request" };
const TOO_FEW = { unknown: "X-Forwarded-For has fewer entries than TRUST_PROXY says" };
const ONE_MORE = { unknown: "X-Forwarded-For names one more proxy than TRUST_PROXY says" };
const CLOUDFLARE = { unknown: "Cloudflare is one more proxy than TRUST_PROXY says" };
const NO_ADDRESS = { unknown: "the address of the caller is not valid" };

function callerAt(address: string | undefined): Caller {
  return address === undefined ? NO_ADDRESS : { address };
}

/** Maximum length of an entry in characters. An IPv6 address has 45 without its zone and port. */
const MAX_ENTRY_LENGTH = 100;
/** An address with a port is in brackets or has no other colon. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?=\d)|$)){4}$/;
const IPV6_WITH_ZONE = /^([\da-f:.]+)(?:%[\w.:%-]+)?$/i;

/** Parses an address with or without a port, brackets and zone. */
function ipAddress(entry: string): string | undefined {
  if (entry.length > MAX_ENTRY_LENGTH) return undefined;
  const text = entry.trim();
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  const host = bracketed ?? plain ?? text;
  if (IPV4.test(host)) return host;
  const [, address] = IPV6_WITH_ZONE.exec(host) ?? [];
  const url = `http://[${address}]`;
  return URL.canParse(url) ? unmapped(new URL(url).hostname) : undefined;
}

/** An IPv4 address within IPv6 (RFC 4291, section 2.5.5.2, and RFC 6052), as URLs write it. */
const MAPPED = /^\[(?:::ffff|64:ff9b:):([\da-f]{1,4}):([\da-f]{1,4})\]$/;

function unmapped(hostname: string): string {
  const [, high = "", low = ""] = MAPPED.exec(hostname) ?? [];
  if (high === "") return hostname;
  const bits = parseInt(high, 16) * 0x10000 + parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
}

/** Loopback, private, shared and link-local networks in canonical form. */
const PRIVATE = new RegExp([
  // RFC 1918, RFC 3927, RFC 6598
  String.raw`^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.`,
  String.raw`^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.`,
  // RFC 4193, RFC 4291
  String.raw`^\[(?:::1\]|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)`,
].join("|"));
