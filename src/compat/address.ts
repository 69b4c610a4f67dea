import type { LookName } from "../badge/parameters.ts";

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
  /** Returns the counter that a request hits, which is authorized before its body is read. */
  readonly hitOf?: (request: CompatRequest) => CounterRef;
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
