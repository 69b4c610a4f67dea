import busuanziScript from "./busuanzi.js" with { type: "text" };
import {
  type AskedPeer,
  baseOf,
  type Counted,
  type Image,
  isTrueInPhp,
  type LookParameters,
  type Numbers,
  type Peer,
  placeOf,
  refuse,
  styleOf,
  type Translation,
  withoutEnd,
} from "./peer.ts";
import { asciiLowerCase, type PeerName } from "./serve_as.ts";

/** github.com/antonkomarev/github-profile-views-counter: profile views. */
const komarev: Peer = {
  addresses: [{
    path: /^\/ghpvc\/?$/,
    isPicture: true,
    translate(_, asked) {
      const id = asciiLowerCase((asked.get("username") ?? "").trim());
      if (!/^[a-z\d](?:-?[a-z\d]){0,38}$/.test(id)) {
        refuse("username= must be the name of a GitHub user.");
      }
      const of = { id, counts: true };
      if (asked.get("style") === "pixel") {
        return { kind: "numbers", of: [of], type: "svg", body: () => PIXEL };
      }
      return image(of, {
        label: asked.get("label") ?? "Profile views",
        color: asked.get("color") ?? "blue",
        style: styleOf(asked.get("style")),
        base: baseOf(asked.get("base")),
        numbers: isTrueInPhp(asked.get("abbreviated")) ? "compact" : "grouped",
      });
    },
  }],
};

const PIXEL = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`;

/** visitor-badge by jwenjian, hehuapei (laobi.icu) and Nathan13888 (Reloaded), which share one path. */
const visitorBadge: Peer = {
  addresses: [{
    path: /^\/badge\/?$/,
    isPicture: true,
    translate(_, asked) {
      const id = asked.get("page_id") ?? "";
      if (id === "") refuse("page_id= is missing.");
      const hit = asked.get("hit");
      const reads = asked.get("query_only") === "true" ||
        hit !== undefined && hit !== "true" && hit !== "yes";
      return image({ id, counts: !reads }, {
        label: asked.get("left_text") ?? asked.get("text") ?? asked.get("title") ?? "visitors",
        labelColor: asked.get("left_color") ?? asked.get("lcolor") ?? "#595959",
        color: asked.get("right_color") ?? asked.get("color") ?? "#1283c3",
        style: styleOf(asked.get("style")),
        numbers: asked.get("format") === "true" ? "compact" : "plain",
      });
    },
  }],
};

/** github.com/gjbae1212/hit-counter, and its successor's `/api/hit` (hitscounter.dev). */
const seeyoufarm: Peer = {
  addresses: [
    {
      path: /^\/api\/count\/(incr|keep)\/badge\.svg\/?$/,
      isPicture: true,
      translate: ([, verb], asked) =>
        image({ id: urlOf(asked), counts: verb === "incr" }, {
          label: asked.get("title") ?? "hits",
          labelColor: asked.get("title_bg") ?? "#555",
          color: asked.get("count_bg") ?? "#79c83d",
          style: asked.get("edge_flat") === "true" ? "flat-square" : "flat",
        }, { withToday: true }),
    },
    {
      path: /^\/api\/count\/graph\/dailyhits\.svg\/?$/,
      isPicture: true,
      translate: (_, asked) => ({
        kind: "chart",
        id: urlOf(asked),
        parameters: { label: "hits", range: "90d", width: "650", height: "300" },
      }),
    },
    {
      path: /^\/api\/hit\/?$/,
      isPicture: true,
      translate(_, asked) {
        const id = urlOf(asked);
        if (asked.get("output") !== "json") {
          return image({ id, counts: true }, {
            label: asked.get("label") ?? "",
            labelColor: asked.get("labelColor"),
            color: asked.get("color") ?? "brightgreen",
            style: styleOf(asked.get("style")),
          }, { withToday: true });
        }
        return json(
          [{ id, counts: true }, { id, counts: false, today: true }],
          ([total_hits, today_hits]) => ({ today_hits, total_hits }),
        );
      },
    },
  ],
};

function urlOf(asked: AskedPeer): string {
  return placeOf(asked.get("url") ?? "") ??
    refuse("url= must be the address of a page, with http or https.");
}

/** github.com/dwyl/hits. */
const dwyl: Peer = {
  addresses: [{
    // A part before the user is overlooked, as there.
    path: /^\/(?:[^/]+\/)?([^/]+)\/([^/]+)\.svg$/,
    isPicture: true,
    translate([, user, repository], asked) {
      const of = { id: repositoryOf(user, repository), counts: true };
      const style = styleOf(asked.get("style"));
      return image(of, { label: "hits", labelColor: "#555", color: "#4c1", style });
    },
  }, {
    path: /^\/([^/]+)\/([^/]+)\.json$/,
    translate([, user, repository], asked) {
      const of = { id: repositoryOf(user, repository), counts: true };
      const style = styleOf(asked.get("style")) ?? "flat";
      const color = asked.get("color") ?? "lightgrey";
      return json([of], ([hits]) => ({
        schemaVersion: 1,
        label: "hits",
        style,
        message: `${hits}`,
        color,
      }));
    },
  }],
};

const NAME = /^[\w.-]+$/;

function repositoryOf(user = "", repository = ""): string {
  if (!NAME.test(user) || !NAME.test(repository)) {
    refuse("The address must end in user/repository.svg.");
  }
  return `${user}/${repository}`;
}

/** github.com/silentsoft/hits. */
const hitsSh: Peer = {
  addresses: [
    {
      path: /^\/api\/urns\/(.+)$/s,
      translate: ([, place = ""]) =>
        json([{ id: urnOf(place), counts: false }], ([total]) => ({ total })),
    },
    {
      path: /^\/(.+)\.svg$/s,
      isPicture: true,
      translate: ([, place = ""], asked) =>
        image({ id: urnOf(place), counts: true }, {
          label: asked.get("label") ?? "hits",
          color: asked.get("color") ?? "#4c1",
          labelColor: asked.get("labelColor") ?? "#555",
          style: styleOf(asked.get("style")),
          base: baseOf(asked.get("extraCount")),
          numbers: "grouped",
        }, { withToday: asked.get("view") === "today-total" }),
    },
  ],
};

/** A host and a path. An id here may be shorter than there, where it may have 250 characters. */
function urnOf(text: string): string {
  const path = text.trim().replace(/^.*?:\//s, "").replace(/#.*$/s, "").replaceAll("\\", "/");
  const place = withoutEnd(path.replace(/^\/+/, ""), "/?");
  if (!place.includes(".")) {
    refuse("The address must end in a host and a path, such as github.com/user/repository.svg.");
  }
  return place;
}

/** profile-counter on Glitch. */
const profileCounter: Peer = {
  addresses: [
    {
      path: /^\/([^/]+)\/count\.svg$/,
      isPicture: true,
      translate: ([, key = ""]) =>
        image({ id: key, counts: true }, { label: "visitors", style: "odometer" }),
    },
    {
      path: /^\/([^/]+)\/?$/,
      translate: ([, key = ""]) =>
        json([{ id: key, counts: false }], ([count]) => ({ key, count })),
    },
  ],
};

/** CountAPI, and the same paths of Abacus. */
const countapi: Peer = {
  addresses: [{
    path: /^\/(hit|get)\/(?:([^/]+)\/)?([^/]+)\/?$/,
    post: true,
    translate([, verb, space = "default", key = ""], asked) {
      if (![space, key].every((name) => /^[\w.-]{3,64}$/.test(name))) {
        refuse("A namespace or a key is 3 to 64 letters, digits, dots, dashes or underscores.");
      }
      const of = { id: `${space}/${key}`, counts: verb === "hit" };
      const callback = asked.get("callback");
      const numbers = json([of], ([value]) => ({ value }));
      const shown = { ...numbers, refusesZero: verb === "get" };
      return callback === undefined ? shown : jsonp(shown, callback);
    },
  }],
};

/** busuanzi, in nearly every theme of Hexo. */
const busuanzi: Peer = {
  addresses: [
    {
      path: /^\/busuanzi\/2\.3\/busuanzi\.pure(?:\.mini)?\.js$/,
      translate: () => ({ kind: "text", body: busuanziScript }),
    },
    {
      path: /^\/busuanzi\/?$/,
      translate(_, asked) {
        const { referrer } = asked;
        if (referrer === undefined) {
          refuse("The Referer header, which names the page, is missing.");
        }
        const host = referrer.hostname;
        // A page may send its host alone: then the script says which page it is on.
        const page = asked.get("page") ?? decoded(referrer.pathname);
        const path = page.startsWith("/") ? page : "/";
        if (path.startsWith("/*")) {
          refuse("The address in the Referer header is not that of a page.");
        }
        const numbers = json([
          { id: `${host}/*visitors`, counts: true, once: true },
          { id: `${host}${path}`, counts: true },
          { id: `${host}/*site`, counts: true },
        ], ([site_uv, page_pv, site_pv]) => ({ site_uv, page_pv, version: 2.4, site_pv }));
        const callback = asked.get("jsonpCallback");
        return callback === undefined ? numbers : jsonp(numbers, callback);
      },
    },
  ],
};

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Every peer by its name. */
export const PEERS: Readonly<Record<PeerName, Peer>> = {
  komarev,
  "visitor-badge": visitorBadge,
  seeyoufarm,
  dwyl,
  "hits.sh": hitsSh,
  "profile-counter": profileCounter,
  countapi,
  busuanzi,
};

function image(
  of: Counted,
  look: LookParameters,
  more: Pick<Image, "withToday"> = {},
): Translation {
  return { kind: "image", of, look, ...more };
}

function json(of: readonly Counted[], shape: (numbers: readonly number[]) => unknown): Numbers {
  return { kind: "numbers", of, type: "json", body: (numbers) => JSON.stringify(shape(numbers)) };
}

/** The same as a script that calls a function of the page, which is why only plain names are let through. */
function jsonp(numbers: Numbers, callback: string): Numbers {
  if (!/^[A-Za-z_$][\w$.]{0,63}$/.test(callback)) {
    refuse("The callback must be the name of a JavaScript function.");
  }
  return {
    ...numbers,
    type: "script",
    body: (values) => `try{${callback}(${numbers.body(values)});}catch(e){}`,
  };
}
