import { createHmac } from "node:crypto";

/** The secret of every service and app under test. */
export const SECRET = "open-sesame-0123456789";

/** The key of a text such as "counter:a", as the contract defines it. */
export function keyOf(text: string, secret: string = SECRET): string {
  return createHmac("sha256", secret).update(text).digest().subarray(0, 16).toString("base64url");
}

/** The headers of a request that shows the secret. */
export const authorized: Readonly<Record<string, string>> = { "x-auth-token": SECRET };

/** The secret as a header line of a request that is written by hand. */
export const SECRET_LINE: string = `X-Auth-Token: ${SECRET}\r\n`;

/**
 * A whole request that shows the secret, such as of the line "PUT /counters?id=a" and a body, over
 * a kept connection.
 */
export function authorizedRequest(line: string, body = ""): string {
  const length = body === "" ? "" : `Content-Length: ${new TextEncoder().encode(body).length}\r\n`;
  return `${line} HTTP/1.1\r\nHost: localhost\r\n${SECRET_LINE}${length}\r\n${body}`;
}
