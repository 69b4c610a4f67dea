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
  /** Returns the use that a request makes, which is authorized before its body is read. */
  readonly useOf?: (request: CompatRequest) => Use;
  /**
   * Returns what the address means here: the image of a route, or numbers. Throws a problem for
   * what the service refuses.
   */
  translate(path: RegExpExecArray, request: CompatRequest): Use | Numbers;
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

/** The use of a route of this service for a counter. */
export interface Use {
  readonly path: "/hit" | "/count" | "/hit.svg" | "/badge" | "/chart.svg";
  /** The counter, without the name of the service. */
  readonly id: string;
  readonly parameters?: { readonly [Name in ParameterName]?: string | undefined };
}

type ParameterName = LookName | "show" | "range" | "width" | "height" | "once" | "period";

/** Numbers in the format of the service, or a fixed text if there are no uses. */
export interface Numbers {
  readonly uses: readonly Use[];
  readonly format: "json" | "script" | "svg";
  /** Formats the numbers, which are in the order of the uses. */
  body(numbers: readonly number[]): string;
  /** True if a counter that was never hit is 404. */
  readonly notFoundIfZero?: boolean;
}
