import busuanziScript from "../browser/built/busuanzi.min.js" with { type: "text" };
import { parseCounterId } from "../domain/counter_id.ts";
import { percentDecoded } from "../http/query.ts";
import { Problem } from "../problem.ts";
import type { CompatAddress, CompatRequest, CompatService, Numbers, Use } from "./address.ts";
import { asciiLowerCase, type CompatName } from "../hits/serve_as.ts";

/** github.com/antonkomarev/github-profile-views-counter: profile views. */
const komarev: CompatService = [
  imageAt(/^\/ghpvc\/?$/, (_, request) => {
    const id = asciiLowerCase((request.get("username") ?? "").trim());
    if (!/^[a-z\d](?:-?[a-z\d]){0,38}$/.test(id)) {
      refuse("username= must be the name of a GitHub user.");
    }
    if (request.get("style") === "pixel") {
      return { uses: [{ ...hit(id), path: "/hit.svg" }], format: "svg", body: () => PIXEL };
    }
    return picture(hit(id), {
      label: request.get("label") ?? "Profile views",
      color: request.get("color") ?? "blue",
      style: parseStyle(request.get("style")),
      base: parseBase(request.get("base")),
      // As PHP converts a text to a boolean.
      numbers: ["", "0"].includes(request.get("abbreviated") ?? "") ? "grouped" : "compact",
    });
  }),
];

const PIXEL = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`;

/** The visitor-badges of jwenjian, hehuapei (laobi.icu) and Nathan13888, which share one path. */
const visitorBadge: CompatService = [
  imageAt(/^\/badge\/?$/, (_, request) => {
    const id = request.get("page_id") ?? "";
    if (id === "") refuse("page_id= is missing.");
    const counts = ["true", "yes"].includes(request.get("hit") ?? "true") &&
      request.get("query_only") !== "true";
    return picture((counts ? hit : read)(id), {
      label: request.get("left_text") ?? request.get("text") ?? request.get("title") ??
        "visitors",
      labelColor: request.get("left_color") ?? request.get("lcolor") ?? "#595959",
      color: request.get("right_color") ?? request.get("color") ?? "#1283c3",
      style: parseStyle(request.get("style")),
      numbers: request.get("format") === "true" ? "compact" : "plain",
    });
  }),
];

/** github.com/gjbae1212/hit-counter, and its successor's `/api/hit` (hitscounter.dev). */
const seeyoufarm: CompatService = [
  imageAt(
    /^\/api\/count\/(incr|keep)\/badge\.svg\/?$/,
    ([, verb], request) =>
      picture((verb === "incr" ? hit : read)(pageUrl(request)), {
        label: request.get("title") ?? "hits",
        labelColor: request.get("title_bg") ?? "#555",
        color: request.get("count_bg") ?? "#79c83d",
        style: request.get("edge_flat") === "true" ? "flat-square" : "flat",
        show: "today/total",
      }),
  ),
  imageAt(/^\/api\/count\/graph\/dailyhits\.svg\/?$/, (_, request) => {
    const parameters = { label: "hits", range: "90d", width: "650", height: "300" };
    return picture(read(pageUrl(request)), parameters, "/chart.svg");
  }),
  imageAt(/^\/api\/hit\/?$/, (_, request) => {
    const id = pageUrl(request);
    if (request.get("output") !== "json") {
      return picture(hit(id), {
        label: request.get("label") ?? "",
        labelColor: request.get("labelColor"),
        color: request.get("color") ?? "brightgreen",
        style: parseStyle(request.get("style")),
        show: "today/total",
      });
    }
    const uses = [hit(id), { ...read(id), parameters: { period: "today" } }];
    return json(uses, ([total_hits, today_hits]) => ({ today_hits, total_hits }));
  }),
];

/** Returns the host and path of the address in `url=`, which may lack its scheme. */
function pageUrl(request: CompatRequest): string {
  const text = request.get("url") ?? "";
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) {
    const { hostname, pathname } = new URL(url);
    const path = percentDecoded(pathname);
    if (path !== undefined) return trimEnd(`${hostname}${path}`, "/");
  }
  return refuse("url= must be the address of a page, with http or https.");
}

/** github.com/dwyl/hits. */
const dwyl: CompatService = [
  // The service ignores a part before the user, too.
  imageAt(/^\/(?:[^/]+\/)?([^/]+)\/([^/]+)\.svg$/, ([, user, repository], request) => {
    const style = parseStyle(request.get("style"));
    const look = { label: "hits", labelColor: "#555", color: "#4c1", style };
    return picture(hit(repositoryOf(user, repository)), look);
  }),
  dataAt(/^\/([^/]+)\/([^/]+)\.json$/, ([, user, repository], request) => {
    const counter = hit(repositoryOf(user, repository));
    const style = parseStyle(request.get("style")) ?? "flat";
    const color = request.get("color") ?? "lightgrey";
    return json([counter], ([hits]) => ({
      schemaVersion: 1,
      label: "hits",
      style,
      message: `${hits}`,
      color,
    }));
  }),
];

const NAME = /^[\w.-]+$/;

function repositoryOf(user = "", repository = ""): string {
  if (!NAME.test(user) || !NAME.test(repository)) {
    refuse("The address must end in user/repository.svg.");
  }
  return `${user}/${repository}`;
}

/** github.com/silentsoft/hits. */
const hitsSh: CompatService = [
  dataAt(
    /^\/api\/urns\/(.+)$/s,
    ([, place = ""]) => json([read(pagePlace(place))], ([total]) => ({ total })),
  ),
  imageAt(/^\/(.+)\.svg$/s, ([, place = ""], request) =>
    picture(hit(pagePlace(place)), {
      label: request.get("label") ?? "hits",
      color: request.get("color") ?? "#4c1",
      labelColor: request.get("labelColor") ?? "#555",
      style: parseStyle(request.get("style")),
      base: parseBase(request.get("extraCount")),
      numbers: "grouped",
      show: request.get("view") === "today-total" ? "today/total" : undefined,
    })),
];

/**
 * Parses a host and a path. hits.sh allows 250 characters, which is more than an id may have here.
 * Longer ones are refused when the id is parsed.
 */
function pagePlace(text: string): string {
  const path = text.trim().replace(/^.*?:\//s, "").replace(/#.*$/s, "").replaceAll("\\", "/");
  const place = trimEnd(path.replace(/^\/+/, ""), "/?");
  if (!place.includes(".")) {
    refuse("The address must end in a host and a path, such as github.com/user/repository.svg.");
  }
  return place;
}

/** profile-counter on Glitch. */
const profileCounter: CompatService = [
  imageAt(
    /^\/([^/]+)\/count\.svg$/,
    ([, key = ""]) => picture(hit(key), { label: "visitors", style: "odometer" }),
  ),
  dataAt(/^\/([^/]+)\/?$/, ([, key = ""]) => json([read(key)], ([count]) => ({ key, count }))),
];

/** CountAPI, and the same paths of Abacus. */
const countapi: CompatService = [
  dataAt(
    /^\/(hit|get)\/(?:([^/]+)\/)?([^/]+)\/?$/,
    ([, verb, space = "default", key = ""], request) => {
      if (![space, key].every((name) => /^[\w.-]{3,64}$/.test(name))) {
        refuse("A namespace or a key is 3 to 64 letters, digits, dots, dashes or underscores.");
      }
      const counter = (verb === "hit" ? hit : read)(`${space}/${key}`);
      const numbers = json([counter], ([value]) => ({ value }));
      return jsonp({ ...numbers, notFoundIfZero: verb === "get" }, request.get("callback"));
    },
    // The body of a POST is ignored.
    0,
  ),
];

/** busuanzi, in nearly every theme of Hexo. */
const busuanzi: CompatService = [
  dataAt(
    // The addresses of the script: those of busuanzi, of its successors and of Vercount.
    /^\/(?:busuanzi\/[\d.]+\/busuanzi(?:\.pure)?(?:\.mini|\.min)?\.js|js|js\/client(?:\.min)?\.js|busuanzi\.js)$/,
    () => ({ uses: [], format: "script", body: () => busuanziScript }),
  ),
  dataAt(/^\/busuanzi\/?$/, (_, request) => {
    const { referrer } = request;
    if (referrer === undefined) {
      refuse("The Referer header, which names the page, is missing.");
    }
    // A page may send its host alone: then the script says which page it is on.
    const path = pathOf(referrer, request.get("page"));
    const host = referrer.hostname;
    // With and without a trailing slash or index.html, a page is the same.
    const page = hit(`${host}/${path.replace(/^\/(index\.html$)?|\/(index\.html)?$/g, "")}`);
    const isCounted = !isSiteTotal(path) && parseCounterId(`busuanzi/${page.id}`) !== undefined;
    const visitors: Use = { ...hit(`${host}/*visitors`), parameters: { once: "day" } };
    const site = hit(`${host}/*site`);
    // The script asks for today's numbers if its page shows them.
    const daily = request.get("today") === undefined ? [] : [site, visitors];
    const today = daily.map(({ id }) => ({ ...read(id), parameters: { period: "today" } }));
    const uses = [visitors, ...(isCounted ? [page] : []), site, ...today];
    const numbers = json(uses, ([site_uv, ...others]) => {
      const page_pv = isCounted ? others.shift() : "–";
      const [site_pv, today_pv, today_uv] = others;
      return { site_uv, page_pv, version: 2.4, site_pv, today_pv, today_uv };
    });
    return jsonp(numbers, request.get("jsonpCallback"));
  }),
];

/** Maximum number of pages in a request for claps, and maximum length of its body in bytes. */
const [MAX_PAGES, MAX_PAGES_BYTES] = [100, 16_384];

/** applause-button: claps for a page. */
const applause: CompatService = [
  dataAt(/^\/get-claps\/?$/, (_, request) => json([read(clappedPage(request))], ([hits]) => hits)),
  {
    path: /^\/update-claps\/?$/,
    maxBody: MAX_PAGES_BYTES,
    useOf: (request) => hit(clappedPage(request)),
    translate(_, request) {
      // The button sends the number and its version as a JSON string, such as "3,4.0.5".
      const body = request.body.trim().replace(/^"([^"]*)"$/, "$1");
      const [, claps] = /^(10|[1-9])(?:,[\d.]{1,20})?$/.exec(body) ?? [];
      if (claps === undefined) refuse("The body must be a whole number from 1 to 10.");
      const uses = Array<Use>(Number(claps)).fill(hit(clappedPage(request)));
      return json(uses, (numbers) => numbers.at(-1));
    },
  },
  dataAt(/^\/get-multiple\/?$/, (_, request) => {
    const urls = parseUrls(request.body);
    const uses = urls.map((url) => read(clappedPage(request, url)));
    return json(uses, (claps) => urls.map((url, index) => ({ url, claps: claps[index] })));
  }, MAX_PAGES_BYTES),
];

/** Returns the counter of a page, which the request names unless a URL is given. */
function clappedPage(request: CompatRequest, url = request.get("url") ?? request.referrer?.href) {
  if (url === undefined || !/^https?:/i.test(url) || !URL.canParse(url)) {
    refuse("url= or the Referer header must be the address of a page, with http or https.");
  }
  const page = new URL(url);
  return `${page.hostname}${pagePath(page)}`;
}

function parseUrls(body: string): readonly string[] {
  try {
    const urls: unknown = JSON.parse(body);
    const isList = Array.isArray(urls) && urls.length <= MAX_PAGES;
    if (isList && urls.every((url) => typeof url === "string")) return urls;
  } catch {
    // Not JSON.
  }
  return refuse(`The body must be a JSON array of at most ${MAX_PAGES} addresses of pages.`);
}

/** Returns the path of a URL. Throws "bad-id" for a site total. */
function pagePath(url: URL): string {
  const path = pathOf(url);
  if (isSiteTotal(path)) refuse("The path of a page must not begin with /*.");
  return path;
}

/** Reports whether the totals of a site are stored below such a path. */
function isSiteTotal(path: string): boolean {
  return path.startsWith("/*");
}

/** Returns the path of a URL, or another path of its host. */
function pathOf({ pathname }: URL, path = percentDecoded(pathname) ?? pathname): string {
  return path.startsWith("/") ? path : "/";
}

/** Every service by its name. */
export const COMPAT_SERVICES: Readonly<Record<CompatName, CompatService>> = {
  komarev,
  "visitor-badge": visitorBadge,
  seeyoufarm,
  dwyl,
  "hits.sh": hitsSh,
  "profile-counter": profileCounter,
  countapi,
  busuanzi,
  applause,
};

/** Throws the problem "bad-id" with the reason why the service refuses the request. */
function refuse(detail: string): never {
  throw new Problem("bad-id", { detail });
}

/** Parses a style, because services and their users write `flat-square` in several ways. */
function parseStyle(text: string | undefined): string | undefined {
  return text?.trim().toLowerCase().replace("flatsquare", "flat-square").replaceAll("_", "-");
}

/** Parses an offset for the drawn number. Returns undefined unless it is a whole number from 0. */
function parseBase(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,16}$/.test(text.trim()) ? text.trim() : undefined;
}

/** Removes characters from the end. A regular expression would take quadratic time. */
function trimEnd(text: string, characters: string): string {
  let { length } = text;
  while (length > 0 && characters.includes(text.charAt(length - 1))) length--;
  return text.slice(0, length);
}

function hit(id: string): Use {
  return { path: "/hit", id };
}

function read(id: string): Use {
  return { path: "/count", id };
}

/** Returns an address that responds with an image. */
function imageAt(path: RegExp, translate: CompatAddress["translate"]): CompatAddress {
  return { path, translate, isPicture: true };
}

/** Returns an address that responds with numbers or a script, and its `maxBody`. */
function dataAt(
  path: RegExp,
  translate: CompatAddress["translate"],
  maxBody?: number,
): CompatAddress {
  return { path, translate, maxBody };
}

/** Returns the use of a route that draws in place of one that returns a number. */
function picture(
  { id, path }: Use,
  parameters: NonNullable<Use["parameters"]>,
  drawn: Use["path"] = path === "/hit" ? "/hit.svg" : "/badge",
): Use {
  return { path: drawn, id, parameters };
}

function json(
  uses: readonly Use[],
  shape: (numbers: readonly number[]) => unknown,
): Numbers {
  return { uses, format: "json", body: (numbers) => JSON.stringify(shape(numbers)) };
}

/** Wraps the numbers in a call of the function of the page that a request names, if any. */
function jsonp(numbers: Numbers, callback: string | undefined): Numbers {
  if (callback === undefined) return numbers;
  if (!/^[A-Za-z_$][\w$.]{0,63}$/.test(callback)) {
    refuse("The callback must be the name of a JavaScript function.");
  }
  return {
    ...numbers,
    format: "script",
    body: (values) => `try{${callback}(${numbers.body(values)});}catch(e){}`,
  };
}
