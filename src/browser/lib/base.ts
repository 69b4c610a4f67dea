import { here } from "./browser.ts";

const named = document.querySelector<HTMLMetaElement>("meta[name=public-url]");
/** The address of the service for others, which is that of PUBLIC_URL if it is set. */
export const base = named ? new URL(`${named.content}/`) : here;
