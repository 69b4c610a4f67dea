// Keeps the numbers that other services show but forget, limit or close: stars, downloads, pulls and
// traffic. Sends them to Tallymark as counters. Needs Node.js 20 or Deno and has no dependencies. It
// stores nothing, so it can run at any time, late, or twice.
//
//   KEEP="github-stars octocat/hello, docker library/redis, npm @octocat/hello" \
//     TALLYMARK_URL=https://hits.example.com TALLYMARK_TOKEN=… node keep.mjs
//
// Each entry of KEEP is a source and its names. Commas and line breaks separate entries.
// TALLYMARK_TOKEN is a job key such as import.github/.CODE, or several, separated by spaces. Tokens,
// and what is kept when a source closes, are described in .docs/external_totals.md.

import { setTimeout as sleep } from "node:timers/promises";

const MAX_ATTEMPTS = 3;
const MAX_PAGES = 100;
const MAX_REDIRECTS = 5;
const MAX_RESPONSE_BYTES = 10_000_000;
const MAX_RETRY_SECONDS = 60;
const RESPONSE_TIMEOUT_MS = 30_000;
const DAY_MS = 86_400_000;

const { env } = process;
const TALLYMARK = { base: env.TALLYMARK_URL };
/** The job keys in TALLYMARK_TOKEN, each with the prefix of the ids that it imports. */
const IMPORT_KEYS = (env.TALLYMARK_TOKEN ?? "").trim().split(/\s+/).flatMap((token) => {
  const prefix = /^import\.(.+\/)\.[\w-]{22}$/.exec(token)?.[1];
  return prefix === undefined ? [] : [{ token, prefix: decodeURIComponent(prefix) }];
});
const GITHUB = { base: env.GITHUB_API_URL || "https://api.github.com", token: env.GITHUB_TOKEN };
const NPM = { base: env.NPM_API_URL || "https://api.npmjs.org" };
const PYPISTATS = { base: env.PYPISTATS_URL || "https://pypistats.org" };
const CRATES = { base: env.CRATES_URL || "https://crates.io" };
const DOCKER_HUB = { base: env.DOCKER_HUB_URL || "https://hub.docker.com" };
const VSCODE = { base: env.VSCODE_MARKETPLACE_URL || "https://marketplace.visualstudio.com" };

/** Functions that read the lines of one name from a source. */
const SOURCES = {
  // The last 14 days in UTC, without days that have none. Recent days may still grow. Requires a
  // token with read access to "Administration". https://docs.github.com/rest/metrics/traffic
  async "github-traffic"(repository) {
    const lines = [];
    for (const [kind, people] of [["views", "uniques"], ["clones", "cloners"]]) {
      const { body } = await request(GITHUB, `/repos/${path(repository, 2)}/traffic/${kind}`);
      const rows = list(body[kind]);
      const id = `github/${repository}`;
      lines.push(dayLine(`${id}/${kind}`, rows.map((row) => [row.timestamp, row.count])));
      lines.push(dayLine(`${id}/${people}`, rows.map((row) => [row.timestamp, row.uniques])));
    }
    return lines;
  },

  // All days, as weeks with the newest first, at most 30 a page and 100 pages. Days may differ from
  // those of UTC. A star that is taken back disappears from its day, so the line has `hits`, which
  // replaces the whole history. https://docs.github.com/rest/activity/starring
  async "github-stars"(repository) {
    const { body } = await request(GITHUB, `/repos/${path(repository, 2)}`);
    const hits = whole(body.stargazers_count);
    const weeks = await pages(`/repos/${path(repository, 2)}/stargazers/history?per_page=30`);
    if (weeks.length === 0 && hits > 0) throw new Error("the history of stars is empty");
    const stars = weeks.flatMap(({ week, days }) =>
      list(days).map((number, index) => [week * 1000 + index * DAY_MS, number])
    );
    return [{ ...dayLine(`github/${repository}/stars`, stars), hits }];
  },

  // The total of all assets of all releases. It falls if a release is deleted, or if an asset is
  // replaced, which starts at 0. https://docs.github.com/rest/releases/releases
  async "github-downloads"(repository) {
    const releases = await pages(`/repos/${path(repository, 2)}/releases?per_page=100`);
    const assets = releases.flatMap((release) => list(release.assets));
    const seen = assets.reduce((sum, asset) => sum + whole(asset.download_count), 0);
    return [{ id: `github/${repository}/downloads`, seen }];
  },

  // Days in UTC, one or two days late. Days that are not counted yet are 0. At most 18 months a
  // request. https://github.com/npm/registry/blob/main/docs/download-counts.md
  async npm(name) {
    const [start, end] = [540, 0].map((days) => dayText(Date.now() - days * DAY_MS));
    const encoded = path(name, name.startsWith("@") ? 2 : 1);
    const { body } = await request(NPM, `/downloads/range/${start}:${end}/${encoded}`);
    return [dayLine(`npm/${name}`, list(body.downloads).map((row) => [row.day, row.downloads]))];
  },

  // The last 180 days in UTC, updated once a day, without mirrors. Requests are limited per address.
  // https://pypistats.org/api/
  async pypi(name) {
    const target = `/api/packages/${path(name, 1)}/overall?mirrors=false`;
    const { body } = await request(PYPISTATS, target);
    const rows = list(body.data).filter((row) => row.category === "without_mirrors");
    return [dayLine(`pypi/${name}`, rows.map((row) => [row.date, row.downloads]))];
  },

  // The last 90 days in UTC, as one row for each of the newest versions and one for all others. At
  // most one request a second, with a User-Agent that names the sender. https://crates.io/data-access
  async crates(name) {
    await sleep(1000);
    const { body } = await request(CRATES, `/api/v1/crates/${path(name, 1)}/downloads`);
    const rows = [...list(body.version_downloads), ...list(body.meta?.extra_downloads)];
    return [dayLine(`crates/${name}`, rows.map((row) => [row.date, row.downloads]))];
  },

  // The total of pulls. It does not fall. Official images are in `library`. Requests are limited per
  // address. https://docs.docker.com/reference/api/hub/latest/
  async docker(name) {
    const { body } = await request(DOCKER_HUB, `/v2/repositories/${path(name, 2)}/`);
    return [{ id: `docker/${name}`, seen: whole(body.pull_count) }];
  },

  // The total of installs. An unknown name has no statistics. The request is that of the editor:
  // filter 7 is the name, and flag 256 adds statistics. See extensionGalleryService.ts in
  // https://github.com/microsoft/vscode/tree/main/src/vs/platform/extensionManagement/common
  async vscode(name) {
    const filters = [{ criteria: [{ filterType: 7, value: name }] }];
    const { body } = await request(VSCODE, "/_apis/public/gallery/extensionquery", {
      method: "POST",
      headers: {
        "accept": "application/json;api-version=3.0-preview.1",
        "content-type": "application/json",
      },
      body: JSON.stringify({ filters, flags: 256 }),
    });
    const statistics = list(body.results?.[0]?.extensions?.[0]?.statistics);
    const install = statistics.find(({ statisticName }) => statisticName === "install");
    return [{ id: `vscode/${name}`, seen: whole(install?.value) }];
  },
};

const failures = ["KEEP", "TALLYMARK_URL", "TALLYMARK_TOKEN"]
  .filter((name) => !env[name])
  .map((name) => `${name} is not set`);
for (const entry of failures.length > 0 ? [] : env.KEEP.split(/[,\n]/)) {
  const [source, ...names] = entry.trim().split(/\s+/);
  if (source === "") continue;
  if (!Object.hasOwn(SOURCES, source)) failures.push(`${source}: KEEP has no such source`);
  else if (names.length === 0) failures.push(`${source}: KEEP has no names for it`);
  else {
    for (const name of names) {
      await keep(SOURCES[source], name).catch(({ message, cause }) => {
        failures.push(`${source} ${name}: ${message}${cause ? ` (${cause.message})` : ""}`);
      });
    }
  }
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Sends the lines of one name with `mode=max`, or with `mode=replace` if they have `hits`. */
async function keep(read, name) {
  // Before the request, because the later of two reports must be the one that was read later.
  const at = new Date().toISOString();
  const lines = (await read(name))
    // A 0 by mistake would let the next report count everything again.
    .filter(({ hits, seen, days }) => hits !== undefined || seen > 0 || Object.keys(days ?? {})[0])
    .map((line) => line.seen === undefined ? line : { ...line, at });
  if (lines.length === 0) return;
  const mode = lines[0].hits === undefined ? "max" : "replace";
  const { token, name: given } = tokenFor(lines[0].id);
  await request({ ...TALLYMARK, token, given }, `/counters?mode=${mode}`, {
    method: "POST",
    body: lines.map((line) => JSON.stringify(line)).join("\n"),
    redirect: "error",
  });
  for (const { id } of lines) console.log(id);
}

/** Returns the token that imports an id, and the words that name it. */
function tokenFor(id) {
  const key = IMPORT_KEYS.find(({ prefix }) => id.startsWith(prefix));
  if (key !== undefined) return { token: key.token, name: `the job key for ${key.prefix}` };
  if (IMPORT_KEYS.length > 0) {
    const prefixes = IMPORT_KEYS.map(({ prefix }) => prefix).join(", ");
    throw new Error(`TALLYMARK_TOKEN has no job key for ${id}, only for ${prefixes}`);
  }
  const token = env.TALLYMARK_TOKEN.trim();
  const [job] = /^(?:metrics|backup)(?=\.[\w-]{22}$)/.exec(token) ?? [];
  return { token, name: job === undefined ? "no job key" : `the job key for ${job}` };
}

/** Returns a line of days. Adds up the numbers of a day, and leaves out days without any. */
function dayLine(id, numbers) {
  const days = {};
  for (const [time, number] of numbers) {
    const day = dayText(time);
    if (whole(number) > 0) days[day] = (days[day] ?? 0) + number;
  }
  return { id, days };
}

function dayText(time) {
  return new Date(time).toISOString().slice(0, 10);
}

function whole(value) {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error("the response has no whole number in the place of a count");
}

function list(value) {
  if (Array.isArray(value)) return value;
  throw new Error("the response has no list in the place of one");
}

/** Encodes a name that consists of `length` parts. npm documents scopes with a plain @. */
function path(name, length) {
  const parts = name.split("/");
  if (parts.length === length && !parts.some((part) => /^\.{0,2}$/.test(part))) {
    return parts.map((part) => encodeURIComponent(part).replace(/^%40/, "@")).join("/");
  }
  throw new Error(`the name must have ${length - 1} slashes`);
}

/** Returns the items of all pages of GitHub. The header `Link` has the address of the next page. */
async function pages(target) {
  const items = [];
  for (let page = 1, next = target; next !== undefined; page++) {
    if (page > MAX_PAGES) throw new Error(`the list has more than ${MAX_PAGES} pages`);
    const { body, headers } = await request(GITHUB, next);
    items.push(...list(body));
    next = /<([^>]+)>;\s*rel="next"/.exec(headers.get("link"))?.[1];
  }
  return items;
}

/** Requests JSON. Follows redirects, but sends the token to the origin of `base` only. */
async function request({ base, token, given }, target, options = {}) {
  let url = new URL(target.startsWith("/") ? base.replace(/\/+$/, "") + target : target);
  for (let redirects = 0, attempt = 1;;) {
    const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) {
      throw new Error(`the address of ${url.host} must begin with https:`);
    }
    const response = await fetch(url, {
      redirect: "manual",
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      ...options,
      headers: {
        "user-agent": `tallymark-keep (${new URL(env.TALLYMARK_URL).origin})`,
        ...token && url.origin === new URL(base).origin && { authorization: `Bearer ${token}` },
        ...options.headers,
      },
    });
    const text = await readText(response);
    const { ok, status, headers } = response;
    if (ok) return { body: JSON.parse(text), headers };
    const location = status >= 300 && status < 400 ? headers.get("location") : null;
    const seconds = Number(headers.get("retry-after") ?? NaN);
    if (location !== null && redirects++ < MAX_REDIRECTS) url = new URL(location, url);
    else if (seconds <= MAX_RETRY_SECONDS && attempt++ < MAX_ATTEMPTS) await sleep(seconds * 1000);
    else {
      const remedy = (status === 401 || status === 403) && given !== undefined
        ? ` (TALLYMARK_TOKEN is ${given})`
        : "";
      throw new Error(`${url.host} responded with ${status}${hint(response, text)}${remedy}`);
    }
  }
}

async function readText({ body }) {
  const chunks = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error("the response has more than 10 MB");
    chunks.push(chunk);
  }
  return await new Blob(chunks).text();
}

function hint({ status, headers }, text) {
  if (headers.get("content-type")?.includes("problem+json")) return `: ${JSON.parse(text).detail}`;
  const isUsedUp = status === 429 || headers.get("x-ratelimit-remaining") === "0";
  if (isUsedUp) return ": its rate limit is used up, run this again in an hour";
  return status === 401 || status === 403 ? ": check the token and its permissions" : "";
}
