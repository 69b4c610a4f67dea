import { make } from "./make.ts";

/** The address of the service in this browser. */
export const here = new URL(".", location.href);

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
