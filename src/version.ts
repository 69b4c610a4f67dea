import config from "../deno.json" with { type: "json" };

/** The version of the service, which is not that of its HTTP interface. */
export const VERSION: string = config.version;
