import { ok } from "node:assert/strict";
import type { AccessLevel } from "../../../src/auth/access.ts";
import { Secret } from "../../../src/auth/secret.ts";
import { createLinkToken, createSession } from "../../../src/auth/signed_token.ts";
import { openApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { keyOf, SECRET } from "../../support/secret.ts";
import { routes } from "../../support/surface.ts";
import { fullNumbers } from "../../support/time_limit.ts";

const EARLIER = "earlier-secret-0123456789";
const FOREIGN = "foreign-secret-0123456789";
/** The counter and the group of `changed` have keys of version 2. */
const KEY_VERSIONS = "changed/=2,changed/a=2";

const PLACES = ["key", "token", "x-auth-token", "bearer"] as const;
type Place = typeof PLACES[number];

/** A credential, the places in which it is accepted, and what it opens there. */
interface Credential {
  readonly what: string;
  /** Made for each request, because a sign-in link works once. */
  readonly text: () => string;
  readonly places: readonly Place[];
  readonly opens: (level: AccessLevel, subject: string) => boolean;
}

const always = () => true;
const never = () => false;
const isInside = (prefix: string) => (_: AccessLevel, subject: string) =>
  subject.startsWith(prefix);

/** The levels that a session opens, besides `anyone`. */
const OWNED: readonly AccessLevel[] = [
  ...["reader", "viewer", "prefix", "lister", "owner", "metrics", "backup", "import"] as const,
];

/** The credentials of a secret. An earlier one opens what its keys open. */
function credentialsOf(name: string, secret: string): Credential[] {
  const isCurrent = name === "current";
  const own: Credential["opens"] = isCurrent ? always : never;
  const owner = ["token", "x-auth-token", "bearer"] as const;
  const key = (
    text: string,
    levels: readonly AccessLevel[],
    covers: (level: AccessLevel, subject: string) => boolean,
  ): Credential => ({
    what: `${name} ${text}`,
    text: () => keyOf(text, secret),
    places: ["key"],
    opens: (level, subject) =>
      name !== "foreign" && levels.includes(level) && covers(level, subject),
  });
  const job = (level: AccessLevel, text: string, shown: string): Credential => ({
    what: `${name} ${text}`,
    text: () => `${shown}.${keyOf(text, secret)}`,
    places: ["bearer"],
    opens: (asked, subject) =>
      isCurrent && asked === level &&
      (level !== "import" || subject.startsWith("blog/")),
  });
  const groups = ["keyholder", "prefix", "lister"] as const;
  const reads = ["reader", "viewer", "lister"] as const;
  const isCounter = (id: string) => (_: AccessLevel, subject: string) => subject === id;
  return [
    { what: `${name} secret`, text: () => secret, places: owner, opens: own },
    {
      what: `${name} session`,
      text: () => createSession(new Secret(secret)).token,
      places: ["bearer"],
      opens: (level) => isCurrent && OWNED.includes(level),
    },
    {
      what: `${name} sign-in link`,
      text: () => createLinkToken(new Secret(secret)),
      places: ["bearer"],
      opens: (level) => isCurrent && level === "secretholder",
    },
    key("counter:blog/a", ["keyholder"], isCounter("blog/a")),
    // The counter that has the name of the group.
    key("counter:blog/", ["keyholder"], isCounter("blog/")),
    key("prefix:blog/", groups, isInside("blog/")),
    key("read:blog/", reads, isInside("blog/")),
    // The current version counts. An earlier and a later one do not.
    key("counter.2:changed/a", ["keyholder"], isCounter("changed/a")),
    key("prefix.2:changed/", groups, isInside("changed/")),
    key("read.2:changed/", reads, isInside("changed/")),
    ...["counter:changed/a", "prefix:changed/", "read:changed/", "counter.3:changed/a"]
      .map((text) => key(text, [], never)),
    ...["counter.1:blog/a", "prefix.2:blog/"].map((text) => key(text, [], never)),
    job("metrics", "job:metrics", "metrics"),
    job("backup", "job:backup", "backup"),
    job("import", "job:import:blog/", "import.blog/"),
    // Keys of jobs that are not what they say.
    { ...job("import", "job:import:blog/", "import.other/"), opens: never },
    { ...job("metrics", "job:metrics", "backup"), opens: never },
    { ...job("metrics", "job:metrics", ""), opens: never },
    { ...job("import", "job:import:", "import."), opens: never },
  ];
}

const credentials = [
  ...credentialsOf("current", SECRET),
  ...credentialsOf("earlier", EARLIER),
  ...credentialsOf("foreign", FOREIGN),
  { what: "nothing", text: () => "", places: [], opens: never },
];

/** PNGs share the levels of their SVG images. LeanCloud has its credentials in headers. */
const doors = routes.filter(({ path }) =>
  !path.endsWith(".png") && !path.startsWith("/as/leancloud/")
).flatMap((route) =>
  route.methods.filter((method) => method !== "OPTIONS").map((method) => ({ ...route, method }))
);

type Door = typeof doors[number];

interface Attempt {
  readonly credential: Credential;
  readonly place: Place;
  readonly id: string;
}

/** Returns a request for a route about a counter or its group, and what it is about. */
function about({ path, subject }: Door, id: string): [query: string, of: string] {
  const group = id.slice(0, id.indexOf("/") + 1);
  if (["/top", "/p", "/p.json"].includes(path)) return [`prefix=${group}`, group];
  if (path === "/counters/move") return [`from=${id}&to=moved`, id];
  // With both a counter and a group, the group is the harder one.
  if (subject === "counter or prefix" && path !== "/key") return [`prefix=${group}`, group];
  return [`id=${id}`, id];
}

Deno.test("each credential opens its own endpoints and groups, in its own places, and all others are refused and write nothing", async () => {
  const store = new ScriptedStore();
  await using app = openApp({
    ...{ store, openReads: false, startedAt: Date.now() - 1000 },
    ...{ fallbacks: ["another-one-0123456789", EARLIER], keyVersions: KEY_VERSIONS },
  });
  const ids = ["blog/a", "blog/deep/a", "changed/a", "other/a", "blog", "changed"];
  const check = async (door: Door | undefined, { credential, place, id }: Attempt) => {
    if (door === undefined) throw new Error("A level has no door");
    const { path, method, access } = door;
    const [query, subject] = about(door, id);
    // These name a group, and not every id has one.
    if (subject === "") return;
    const text = credential.text();
    const inQuery = place === "key" || place === "token";
    const headers = new Headers(
      inQuery
        ? {}
        : place === "bearer"
        ? { authorization: `Bearer ${text}` }
        : { "x-auth-token": text },
    );
    const more = inQuery && text !== "" ? `&${place}=${encodeURIComponent(text)}` : "";
    const before = store.touched;
    const request = `${method} ${path.replace("*", "x")}?${query}${more}`;
    const body = JSON.stringify({ id, hits: 1 });
    const { status } = path === "/counters" && method !== "GET"
      ? await app.sendBody(request, body, headers)
      : await app.send(request, headers);
    const isOpen = access === "anyone" ||
      (credential.places.includes(place) && credential.opens(access, subject));
    const isRefused = status === 401 || status === 403;
    ok(isRefused === !isOpen, `${credential.what} in ${place}: ${request} is ${status}`);
    if (isRefused) ok(store.touched === before, `${request} has reached the store`);
  };
  // Each credential at each door in one of its own places, and at each level in all other places.
  let turn = 0;
  for (const [access, level] of Map.groupBy(doors, ({ access }) => access)) {
    for (const credential of credentials) {
      const { places, what } = credential;
      const isWhole = fullNumbers || access !== "anyone" && what.startsWith("current");
      const taken = isWhole ? level : level.slice(0, 2);
      for (const door of taken) {
        // Some ids at each door, and all ids at the doors of a level.
        const some = fullNumbers ? ids : [ids[turn % 6], ids[(turn + 3) % 6]];
        turn++;
        for (const id of some) {
          await check(door, {
            credential,
            id: id ?? "",
            place: places[turn % places.length] ?? "key",
          });
        }
      }
      for (const place of PLACES.filter((place) => !places.includes(place))) {
        await check(level[turn % level.length] ?? level[0], { credential, place, id: "blog/a" });
      }
    }
  }
});
