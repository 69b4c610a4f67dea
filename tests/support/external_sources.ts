import { join } from "node:path";
import { projectFolder } from "./programs.ts";
import { keyOf } from "./secret.ts";

export const KEEP_SCRIPT = join(projectFolder, ".deploy/keep.mjs");
export const GITHUB_TOKEN = "github-token-0123456789";

const DAY_MS = 86_400_000;
/** GitHub's weeks begin on Sunday, and so does the first week of 1970 that has seven days. */
const FIRST_SUNDAY_MS = 3 * DAY_MS;

/** Numbers by day, such as "2026-11-24". */
export type Days = Map<string, number>;

/** A request as a source received it. */
export interface Received {
  /** Method, path and query. */
  line: string;
  authorization: string | null;
  userAgent: string | null;
  body: string;
  /** Milliseconds of a monotonic clock. */
  time: number;
}

/** A server on loopback with an origin of its own, which responds like a source. */
export interface Source extends Disposable {
  url: string;
  received: Received[];
  /** Sent in place of the next responses. */
  planned: (() => Response | Promise<Response>)[];
}

/** The numbers that the sources show. A test changes them. */
export interface Numbers {
  stars: Days;
  /** Traffic of the last 14 days. */
  views: Days;
  /** Numbers of downloads of each asset, by release. */
  releases: number[][];
  npm: Days;
  pypi: Days;
  /** Downloads of the newest version, and of all others. */
  crates: { newest: Days; others: Days };
  pulls: number;
  installs: number;
}

/** Starts a server that responds as told, or as planned. */
export function openSource(respond: (url: URL, received: Received) => Response): Source {
  const controller = new AbortController();
  const source: Source = {
    url: "",
    received: [],
    planned: [],
    [Symbol.dispose]: () => controller.abort(),
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: controller.signal, onListen() {} },
    async (request) => {
      const url = new URL(request.url);
      const received = {
        line: `${request.method} ${url.pathname}${url.search}`,
        authorization: request.headers.get("authorization"),
        userAgent: request.headers.get("user-agent"),
        body: await request.text(),
        time: performance.now(),
      };
      source.received.push(received);
      return source.planned.shift()?.() ?? respond(url, received);
    },
  );
  source.url = `http://127.0.0.1:${server.addr.port}`;
  return source;
}

/**
 * Starts all sources. Repository `o/r`, package `@s/n` of npm, `n` of the others, image `o/r`,
 * extension `p.n`.
 */
export function openSources(numbers: Numbers) {
  const notFound = () => Response.json({ message: "Not Found" }, { status: 404 });
  const sources = {
    github: openSource((url, received) => github(numbers, url, received)),
    npm: openSource(({ pathname }) => {
      const match = /^\/downloads\/range\/([\d-]{10}):([\d-]{10})\/@s\/n$/.exec(pathname);
      if (match === null) return notFound();
      const [, start = "", end = ""] = match;
      if (Date.parse(end) - Date.parse(start) > 549 * DAY_MS) {
        return Response.json({ error: "more than 18 months" }, { status: 400 });
      }
      const downloads = [];
      for (let time = Date.parse(start); time <= Date.parse(end); time += DAY_MS) {
        const day = dayText(time);
        downloads.push({ day, downloads: numbers.npm.get(day) ?? 0 });
      }
      return Response.json({ start, end, package: "@s/n", downloads });
    }),
    pypi: openSource((url) => {
      if (url.pathname !== "/api/packages/n/overall") return notFound();
      const data = [...numbers.pypi].map(([date, downloads]) => {
        return { category: "without_mirrors", date, downloads };
      });
      // The real service ignores what it does not know, so both categories may arrive.
      const mirrored = data.map((row) => ({
        ...row,
        category: "with_mirrors",
        downloads: 999_999,
      }));
      return Response.json({ data: [...mirrored, ...data], package: "n" });
    }),
    crates: openSource((url) => {
      if (url.pathname !== "/api/v1/crates/n/downloads") return notFound();
      const rows = (days: Days) => [...days].map(([date, downloads]) => ({ date, downloads }));
      return Response.json({
        version_downloads: rows(numbers.crates.newest).map((row) => ({ version: 7, ...row })),
        meta: { extra_downloads: rows(numbers.crates.others) },
      });
    }),
    docker: openSource((url) => {
      if (url.pathname !== "/v2/repositories/o/r/") return notFound();
      return Response.json({ name: "r", namespace: "o", pull_count: numbers.pulls });
    }),
    vscode: openSource((url, { line, body }) => {
      if (!line.startsWith("POST ") || url.pathname !== "/_apis/public/gallery/extensionquery") {
        return notFound();
      }
      const name: unknown = JSON.parse(body).filters[0].criteria[0].value;
      const statistics = [
        { statisticName: "averagerating", value: 4.2 },
        { statisticName: "install", value: numbers.installs },
      ];
      const extensions = name === "p.n" ? [{ statistics }] : [];
      return Response.json({ results: [{ extensions }] });
    }),
  };
  return {
    ...sources,
    /** The environment of the script, without `KEEP` and the service. */
    env: {
      GITHUB_TOKEN,
      GITHUB_API_URL: sources.github.url,
      NPM_API_URL: sources.npm.url,
      PYPISTATS_URL: sources.pypi.url,
      CRATES_URL: sources.crates.url,
      DOCKER_HUB_URL: sources.docker.url,
      VSCODE_MARKETPLACE_URL: sources.vscode.url,
    },
    [Symbol.dispose]: () => Object.values(sources).forEach((source) => source[Symbol.dispose]()),
  };
}

/** Responds like api.github.com for `o/r`, whose number is 1, and for `o/old`, its former name. */
function github(numbers: Numbers, url: URL, { authorization }: Received): Response {
  const renamed = /^\/repos\/o\/old(.*)$/.exec(url.pathname);
  if (renamed !== null) {
    const location = `${url.origin}/repositories/1${renamed[1]}${url.search}`;
    return Response.json({ message: "Moved Permanently" }, { status: 301, headers: { location } });
  }
  const rest = /^\/(?:repos\/o\/r|repositories\/1)(.*)$/.exec(url.pathname)?.[1];
  switch (rest) {
    case "":
      return Response.json({ stargazers_count: sum(numbers.stars) });
    case "/stargazers/history":
      return page(starWeeks(numbers.stars), url, 30);
    case "/releases":
      return page(
        numbers.releases.map((assets) => ({
          assets: assets.map((download_count) => ({ download_count })),
        })),
        url,
        100,
      );
    case "/traffic/views":
    case "/traffic/clones": {
      if (authorization !== `Bearer ${GITHUB_TOKEN}`) {
        return Response.json({ message: "Must have push access" }, { status: 403 });
      }
      const rows = [...numbers.views].map(([day, count]) => {
        return { timestamp: `${day}T00:00:00Z`, count, uniques: Math.ceil(count / 2) };
      });
      return Response.json({ [rest.slice("/traffic/".length)]: rows });
    }
    default:
      return Response.json({ message: "Not Found" }, { status: 404 });
  }
}

/** Returns stars as weeks of seven days, newest first. */
function starWeeks(stars: Days) {
  const weeks = new Map<number, number[]>();
  for (const [day, number] of stars) {
    const index = (Date.parse(day) - FIRST_SUNDAY_MS) / DAY_MS;
    const week = (FIRST_SUNDAY_MS + Math.floor(index / 7) * 7 * DAY_MS) / 1000;
    const days = weeks.get(week) ?? new Array<number>(7).fill(0);
    days[index % 7] = number;
    weeks.set(week, days);
  }
  return [...weeks].sort(([one], [other]) => other - one)
    .map(([week, days]) => ({ week, total: days.reduce((a, b) => a + b), days }));
}

/** Returns one page of a list of GitHub, with the header `Link`. */
function page(items: unknown[], url: URL, maxPerPage: number): Response {
  const perPage = Math.min(Number(url.searchParams.get("per_page") ?? 30), maxPerPage);
  const number = Number(url.searchParams.get("page") ?? 1);
  const last = Math.max(1, Math.ceil(items.length / perPage));
  const link = (page: number, rel: string) => {
    const target = new URL(url);
    target.searchParams.set("page", String(page));
    return `<${target}>; rel="${rel}"`;
  };
  const links = [
    ...number > 1 ? [link(number - 1, "prev"), link(1, "first")] : [],
    ...number < last ? [link(number + 1, "next"), link(last, "last")] : [],
  ];
  return Response.json(items.slice((number - 1) * perPage, number * perPage), {
    headers: links.length > 0 ? { link: links.join(", ") } : {},
  });
}

export interface Run {
  env: Record<string, string>;
  keep: string;
  service: string;
  token?: string;
  /** JavaScript that runs before the script. */
  preload?: string;
  runtime?: "deno" | "node";
  /** Flags of Deno, which else has access to the network and the environment only. */
  flags?: string[];
}

/** The job key with which the secret of tests imports the ids with a prefix. */
export function importKey(prefix: string): string {
  return `import.${prefix}.${keyOf(`job:import:${prefix}`)}`;
}

const JOB_KEYS = ["github/", "npm/", "pypi/", "crates/", "docker/", "vscode/"].map(importKey)
  .join(" ");

/** Runs the script once. */
export async function runKeep(run: Run): Promise<{ code: number; stdout: string; stderr: string }> {
  const { env, keep, service, token = JOB_KEYS, preload = "", runtime = "deno", flags = [] } = run;
  const hook = `data:text/javascript,${encodeURIComponent(preload)}`;
  const [program, args] = runtime === "node" ? ["node", ["--import", hook]] : [Deno.execPath(), [
    "run",
    "--no-config",
    "--allow-net",
    "--allow-env",
    "--preload",
    hook,
    ...flags,
  ]];
  const output = await new Deno.Command(program, {
    args: [...args, KEEP_SCRIPT],
    clearEnv: true,
    env: {
      ...env,
      ...keep === "" ? {} : { KEEP: keep },
      TALLYMARK_URL: service,
      TALLYMARK_TOKEN: token,
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "",
      NO_COLOR: "1",
    },
  }).output();
  const [stdout = "", stderr = ""] = [output.stdout, output.stderr]
    .map((bytes) => new TextDecoder().decode(bytes));
  return { code: output.code, stdout, stderr };
}

export function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export function sum(days: Days): number {
  return [...days.values()].reduce((a, b) => a + b, 0);
}
