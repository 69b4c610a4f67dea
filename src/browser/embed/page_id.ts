/**
 * Returns the id that `counter="auto"` gives a page: its path below a prefix, without a trailing
 * `index.html` or slash. A path that is not percent-encoded UTF-8 is taken as it is written.
 */
export function pageId(path: string, prefix = ""): string {
  const id = decoded(path).replace(/(^|\/)index\.html$/, "$1").replace(/^\/|\/$/g, "") || "home";
  return id.startsWith(prefix) ? id : prefix + id;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
