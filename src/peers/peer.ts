import type { LookName } from "../badge/parameters.ts";
import { Problem } from "../problem.ts";

/** A counter of another service whose addresses are answered here. */
export interface Peer {
  /** Its addresses; the first whose path fits is taken. */
  readonly addresses: readonly Address[];
}

/** One form of a peer's addresses. */
export interface Address {
  /** The path below the peer's own origin, percent-decoded. */
  readonly path: RegExp;
  /** Whether it answers with a picture: then what is refused is drawn. */
  readonly isPicture?: boolean;
  /** Whether it also counts with POST. */
  readonly post?: boolean;
  /** What the address is here; throws a problem for what the peer refuses. */
  translate(path: RegExpExecArray, asked: AskedPeer): Translation;
}

/** What a request to a peer asks for. */
export interface AskedPeer {
  /** A value of its query, undefined if it is missing; the first of several. */
  get(name: string): string | undefined;
  /** The page that asks, as its `Referer` has it; undefined if that is missing or no address. */
  readonly referrer: URL | undefined;
}

/** An address of a peer as what it is here. */
export type Translation = Image | Chart | Numbers | Text;

/** A badge that counts, or only shows a number. */
export interface Image {
  readonly kind: "image";
  readonly of: Counted;
  readonly look: LookParameters;
  /** Draws today's hits before the total. */
  readonly withToday?: boolean;
}

/** How a badge shall look, under the names of this service; what is left out is the default. */
export type LookParameters = { readonly [Name in LookName]?: string | undefined };

/** A chart. */
export interface Chart {
  readonly kind: "chart";
  readonly id: string;
  readonly parameters: {
    readonly label: string | undefined;
    readonly [name: string]: string | undefined;
  };
}

/** Numbers in a form of the peer's own. */
export interface Numbers {
  readonly kind: "numbers";
  readonly of: readonly Counted[];
  readonly type: "json" | "script" | "svg";
  /** The body, given the numbers in their order. */
  body(numbers: readonly number[]): string;
  /** Whether a counter that was never hit is 404. */
  readonly refusesZero?: boolean;
}

/** A counter, without the name of the peer, and what is done to it. */
export interface Counted {
  readonly id: string;
  readonly counts: boolean;
  /** Whether a visitor counts once a day. */
  readonly once?: boolean;
  /** Only today's hits are asked for. */
  readonly today?: boolean;
}

/** A script of the peer's. */
export interface Text {
  readonly kind: "text";
  readonly body: string;
}

/** Throws the problem "bad-id" with what the peer would say. */
export function refuse(detail: string): never {
  throw new Problem("bad-id", { detail });
}

/** A style under its name here: peers and their users write `flat-square` in several ways. */
export function styleOf(text: string | undefined): string | undefined {
  return text?.trim().toLowerCase().replace("flatsquare", "flat-square").replaceAll("_", "-");
}

/** A number to add to the one that is drawn; undefined for anything but a whole number from 0. */
export function baseOf(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,16}$/.test(text.trim()) ? text.trim() : undefined;
}

/** Whether PHP takes a text for true. */
export function isTrueInPhp(text: string | undefined): boolean {
  return text !== undefined && text !== "" && text !== "0";
}

/** Host and path of an address, without port, query, fragment and a slash at the end; undefined for what is none. */
export function placeOf(address: string): string | undefined {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  try {
    return withoutEnd(`${hostname}${decodeURIComponent(pathname)}`, "/");
  } catch {
    return undefined;
  }
}

/** A text without any of these characters at its end. An expression would try all that follow, from each of them. */
export function withoutEnd(text: string, characters: string): string {
  let { length } = text;
  while (length > 0 && characters.includes(text.charAt(length - 1))) length--;
  return text.slice(0, length);
}
