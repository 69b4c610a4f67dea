import { make } from "./make.ts";

// The owner's page may be opened at /hits in place of /hits/. Its addresses would lead outside, and
// the secret with them.
if (document.getElementById("facts") && !location.pathname.endsWith("/")) {
  history.replaceState(null, "", `${location.pathname}/${location.search}${location.hash}`);
}
/** The address of the service in this browser. */
export const here = new URL(".", location.href);
const named = document.querySelector<HTMLMetaElement>("meta[name=public-url]");
/** The address of the service for others, which is that of PUBLIC_URL if it is set. */
export const base = named ? new URL(`${named.content}/`) : here;

export function debounced(act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, 200);
  };
}

/** Saves a text as a file. */
export function save(file: Blob, name: string) {
  const href = URL.createObjectURL(file);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
