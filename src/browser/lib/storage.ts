import { here } from "./browser.ts";

type Kind = "localStorage" | "sessionStorage";

/** Returns the name under which one service keeps a text. Others may be below other paths. */
export function nameInBrowser(name: string) {
  return `tallymark-${name}:${here.pathname}`;
}

/** Returns a text that the page kept, or null. Some browsers refuse storage. */
export function kept(kind: Kind, name: string) {
  try {
    return self[kind].getItem(nameInBrowser(name));
  } catch {
    return null;
  }
}

/** Keeps a text, or removes it if it is null. Returns false if the browser refuses. */
export function keep(kind: Kind, name: string, text: string | null) {
  try {
    if (text === null) self[kind].removeItem(nameInBrowser(name));
    else self[kind].setItem(nameInBrowser(name), text);
    return true;
  } catch {
    return false;
  }
}
