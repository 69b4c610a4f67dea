import config from "../deno.json" with { type: "json" };

/** The version of the service. `/openapi.json` has that of the HTTP interface. */
export const VERSION: string = config.version;
/** The date of its release, before which no right clock can be. */
export const RELEASED = "2026-11-28";
