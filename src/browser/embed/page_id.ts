/**
 * Returns the id that `counter="auto"` gives a page: its path below a prefix, without a trailing
 * `index.html` or slash, and the parameters of its query that `names` lists (`p,page_id`). The list
 * `*` takes the whole query without parameters that only track. A path that is not percent-encoded
 * UTF-8 is taken as it is written.
 */
export function pageId(address: string, prefix = "", names = ""): string {
  const [path, query] = address.split("?") as [string, string?];
  const parameters = new URLSearchParams(query);
  const list = names === "*"
    ? [...parameters.keys()].filter((name) => !/^utm_|clid$/.test(name))
    : names.split(",");
  const text = list
    .flatMap((name) => parameters.getAll(name).map((value) => `${name}=${value}`)).join("&");
  const page = decoded(path).replace(/^\/(index\.html$)?|\/(index\.html)?$/g, "");
  const id = page + (text && "?" + text) || "home";
  return id.startsWith(prefix) ? id : prefix + id;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
