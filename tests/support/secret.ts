/** The secret of every service and app under test. */
export const SECRET = "open-sesame-0123456789";

/** The headers of a request that shows the secret. */
export const authorized: Readonly<Record<string, string>> = { "x-auth-token": SECRET };

/** The same as a line of a request that is written by hand. */
export const SECRET_LINE: string = `X-Auth-Token: ${SECRET}\r\n`;
