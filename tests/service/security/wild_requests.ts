import type { Random } from "./random.ts";
import { requestWithBody } from "./valid_requests.ts";
import { SECRET, SECRET_LINE } from "../../support/secret.ts";

/**
 * Bytes that break HTTP or are understood in two ways, and then honest requests that must not be
 * mistaken.
 */
export function wildRequest(random: Random): string {
  const wild = random.percent(99) ? random.pick(KINDS)(random) : random.pick(STALLING);
  return wild + HIT("after") + CLOSE.repeat(4);
}

const CLOSE = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const TOKEN = `Host: a\r\n${SECRET_LINE}`;
const HIT = (id: string) => `GET /hit?id=${id} HTTP/1.1\r\n${TOKEN}\r\n`;
const POST = `POST /hit?id=wild HTTP/1.1\r\n${TOKEN}`;
const SMUGGLED = HIT("smuggled");

/** Two lengths that disagree, or one that is none: the rest of the bytes may be body or request. */
const PAIRS: [string, ...string[]] = [
  `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${
    SMUGGLED.length.toString(16)
  }\r\n${SMUGGLED}\r\n0\r\n\r\n`,
  `Content-Length: ${SMUGGLED.length}\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`,
  `Content-Length: 0, ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  `Content-Length: +${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  `Content-Length: 0x10\r\n\r\n${SMUGGLED}`,
  `Content-Length: -1\r\n\r\n${SMUGGLED}`,
  `Content-Length: 1 0\r\n\r\n${SMUGGLED}`,
  `Content-Length : ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  `Content-Length:\r\n ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  `Content-Length: 18446744073709551616\r\n\r\n${SMUGGLED}`,
  `Content-Length\0: 5\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: chunked\r\n\r\nffffffffffffffff0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n${SMUGGLED}`,
  `Transfer-Encoding: chunked\r\n\r\n0;${"e".repeat(20_000)}\r\n\r\n${SMUGGLED}`,
  `Transfer-Encoding: chunked\r\n\r\n0\r\nHost: b\r\nX-Auth-Token: x\r\n\r\n${SMUGGLED}`,
];

const HEADS: [string, ...string[]] = [
  HIT("bare-lf").replaceAll("\r\n", "\n"),
  HIT("bare-cr").replaceAll("\r\n", "\r"),
  `GET /hit?id=fold HTTP/1.1\r\nHost: a\r\nX-Auth-Token:\r\n ${SECRET}\r\n\r\n`,
  `GET /hit?id=fold HTTP/1.1\r\nHost:\r\n\ta\r\nX-Auth-Token: ${SECRET}\r\n\r\n`,
  `GET /hit?id=two-hosts HTTP/1.1\r\nHost: b\r\n${TOKEN}\r\n`,
  `GET /hit?id=no-host HTTP/1.1\r\nX-Auth-Token: ${SECRET}\r\n\r\n`,
  `GET /hit?id=v10 HTTP/1.0\r\n${TOKEN}\r\n`,
  `GET /hit?id=v12 HTTP/1.2\r\n${TOKEN}\r\n`,
  `GET /hit?id=v2 HTTP/2.0\r\n${TOKEN}\r\n`,
  `GET /hit?id=v9\r\n${TOKEN}\r\n`,
  `GET /hit?id=lower http/1.1\r\n${TOKEN}\r\n`,
  `GET  /hit?id=blanks  HTTP/1.1\r\n${TOKEN}\r\n`,
  ` GET /hit?id=blank-first HTTP/1.1\r\n${TOKEN}\r\n`,
  `GET\t/hit?id=tab\tHTTP/1.1\r\n${TOKEN}\r\n`,
  `GET hit?id=no-slash HTTP/1.1\r\n${TOKEN}\r\n`,
  `GET * HTTP/1.1\r\n${TOKEN}\r\n`,
  `OPTIONS * HTTP/1.1\r\n${TOKEN}\r\n`,
  `CONNECT localhost:80 HTTP/1.1\r\n${TOKEN}\r\n`,
  `CONNECT /hit?id=connect HTTP/1.1\r\n${TOKEN}\r\n`,
  `HEAD /hit.svg?id=svg-0 HTTP/1.1\r\n${TOKEN}Connection: close\r\n\r\n`,
  `GET /hit?id=a\0b HTTP/1.1\r\n${TOKEN}\r\n`,
  `GET /hit?id=\x80\xff HTTP/1.1\r\n${TOKEN}\r\n`,
  `GET /hit?id=nul HTTP/1.1\r\n${TOKEN}A: \0\r\n\r\n`,
  `GET /hit?id=no-colon HTTP/1.1\r\n${TOKEN}nothing\r\n\r\n`,
  `GET /hit?id=colon-first HTTP/1.1\r\n${TOKEN}: x\r\n\r\n`,
  `GET /hit?id=many HTTP/1.1\r\n${TOKEN}${"a: b\r\n".repeat(300)}\r\n`,
  `GET /hit?id=long HTTP/1.1\r\n${TOKEN}a: ${"b".repeat(70_000)}\r\n\r\n`,
  `GET /hit?id=${"x".repeat(70_000)} HTTP/1.1\r\n${TOKEN}\r\n`,
  "\r\n\r\n\r\n",
  "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03",
];

/**
 * Incomplete requests, for which the server waits until its time limit. They are rare, because each
 * takes that time.
 */
const STALLING: [string, ...string[]] = [
  `${POST}Content-Length: 999999\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nfffff\r\n`,
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
];

const KINDS: [(random: Random) => string, ...((random: Random) => string)[]] = [
  requestWithBody,
  requestWithBody,
  (random) => POST + random.pick(PAIRS),
  (random) => POST + random.pick(PAIRS),
  (random) => random.pick(HEADS),
  (random) => random.pick(HEADS),
  (random) => mutated(HIT("mutated"), random),
  (random) => mutated(POST + random.pick(PAIRS), random),
  (random) => noise(random, 600) + "\r\n\r\n",
  (random) => `GET /hit?id=${noise(random, 40)} HTTP/1.1\r\n${TOKEN}\r\n`,
  (random) => `${noise(random, 20)} /hit?id=noise HTTP/1.1\r\n${TOKEN}\r\n`,
];

/**
 * Some characters of the beginning changed, dropped or doubled; the digits stay, as a length that
 * grows stalls.
 */
function mutated(text: string, random: Random): string {
  const characters = [...text.slice(0, 400)];
  for (let change = 0; change <= random.below(6); change++) {
    const at = random.below(characters.length);
    if (/\d/.test(characters[at] ?? "")) continue;
    const one = String.fromCharCode(random.below(256)).replace(/\d/, "x");
    characters[at] = random.pick([one, "", `${characters[at]}${characters[at]}`, `${one}\r\n`]);
  }
  return characters.join("") + text.slice(400);
}

function noise(random: Random, most: number): string {
  return random.some(most, () => String.fromCharCode(random.below(256))).join("");
}
