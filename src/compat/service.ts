import type { LookName } from "../badge/parameters.ts";
import { Problem } from "../problem.ts";

/** The addresses of another service that work here. The first whose path matches is used. */
export type CompatService = readonly CompatAddress[];

/** One form of a service's addresses. */
export interface CompatAddress {
  /** The path below the origin of the service, percent-decoded. */
  readonly path: RegExp;
  /** True if it responds with an image, so that problems are drawn. */
  readonly isPicture?: boolean;
  /**
   * Maximum length of the body of a POST in bytes. 0 ignores the body. Without this, POST is
   * refused.
   */
  readonly maxBody?: number | undefined;
  /** Returns what the address means here. Throws a problem for what the service refuses. */
  translate(path: RegExpExecArray, request: CompatRequest): Translation;
}

/** A request to an address of another service. */
export interface CompatRequest {
  /** Returns the first value of a query parameter, or undefined if it is missing. */
  get(name: string): string | undefined;
  /** The URL in `Referer`; undefined if it is missing or invalid. */
  readonly referrer: URL | undefined;
  /** The body of a POST; empty if the address ignores it. */
  readonly body: string;
}

/** The meaning of an address here. */
export type Translation = Picture | Numbers;

/** An image of an endpoint of this service. */
export interface Picture {
  readonly path: "/hit.svg" | "/badge" | "/chart.svg";
  readonly counter: CounterRef;
  readonly parameters: {
    readonly [Name in LookName | "show" | "range" | "width" | "height"]?: string | undefined;
  };
}

/** Numbers in the format of the service, or a fixed text if there are no counters. */
export interface Numbers {
  readonly counters: readonly CounterRef[];
  readonly format: "json" | "script" | "svg";
  /** Formats the numbers, which are in the order of the counters. */
  body(numbers: readonly number[]): string;
  /** True if a counter that was never hit is 404. */
  readonly notFoundIfZero?: boolean;
}

/** A counter and what is done to it. */
export interface CounterRef {
  /** The id without the name of the service. */
  readonly id: string;
  readonly counts: boolean;
  /** True if a visitor counts once a day. */
  readonly once?: boolean;
  /** True if only today's hits are read. */
  readonly today?: boolean;
}

/** Throws the problem "bad-id" with the reason why the service refuses the request. */
export function refuse(detail: string): never {
  throw new Problem("bad-id", { detail });
}

/** Parses a style, because services and their users write `flat-square` in several ways. */
export function parseStyle(text: string | undefined): string | undefined {
  return text?.trim().toLowerCase().replace("flatsquare", "flat-square").replaceAll("_", "-");
}

/** Parses an offset for the drawn number. Returns undefined unless it is a whole number from 0. */
export function parseBase(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,16}$/.test(text.trim()) ? text.trim() : undefined;
}

/** Reports whether PHP treats a text as true. */
export function isTrueInPhp(text: string | undefined): boolean {
  return text !== undefined && text !== "" && text !== "0";
}

/** Returns the host and path of an address, or undefined if it is invalid. */
export function hostAndPath(address: string): string | undefined {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  try {
    return trimEnd(`${hostname}${decodeURIComponent(pathname)}`, "/");
  } catch {
    return undefined;
  }
}

/** Returns the page at a URL, or at another path of its host. Throws "bad-id" for a site total. */
export function pageAt(
  { hostname, pathname }: URL,
  path = decode(pathname),
): { host: string; path: string } {
  // The totals of a site are stored under these names.
  if (path.startsWith("/*")) refuse("The path of a page must not begin with /*.");
  return { host: hostname, path: path.startsWith("/") ? path : "/" };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Removes characters from the end. A regular expression would take quadratic time. */
export function trimEnd(text: string, characters: string): string {
  let { length } = text;
  while (length > 0 && characters.includes(text.charAt(length - 1))) length--;
  return text.slice(0, length);
}
