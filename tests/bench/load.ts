import { join } from "node:path";
import { findOnPath } from "../support/programs.ts";

/** One kind of request. `{id}` in its path is replaced by an id. */
export type BenchRequest = {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
};

/** The requests to send and their weights. With weights 9 and 1, the first is 90 % of all. */
export type Shape = {
  requests: (BenchRequest & { weight: number })[];
  /** Number of ids, each requested equally often. They are named n1, n2, and so on. */
  ids: number;
};

/** One load on one server. */
export type Load = { url: string; shape: Shape; connections: number; seconds: number };

/** The results of a load. Times are in milliseconds. */
export type Measured = {
  requests: number;
  perSecond: number;
  p50: number;
  p99: number;
  p999: number;
};

/** Loads a server in one way; throws unless every answer came and was a good one. */
export type Loader = {
  /** True if the tool can send several kinds of requests. */
  everyShape: boolean;
  run(load: Load): Promise<Measured>;
};

/** The loader of this machine: wrk, else one from npm that knows the simplest shape only. */
export function findLoader(folder: string): Loader {
  const wrk = findOnPath(["wrk"]);
  if (wrk !== undefined) return { everyShape: true, run: (load) => runWrk(wrk, folder, load) };
  console.error(
    "wrk: not found: apt-get install wrk; until then autocannon measures what asks for one id only, and is slower than the server",
  );
  return { everyShape: false, run: runAutocannon };
}

/** A path with its id. */
export function pathOf({ path }: BenchRequest, id: string): string {
  return path.replace("{id}", id);
}

/** The output of wrk. Latencies are in microseconds. */
type WrkResult = {
  requests: number;
  microseconds: number;
  errors: Record<"connect" | "read" | "write" | "status" | "timeout", number>;
  p50: number;
  p99: number;
  p999: number;
};

async function runWrk(wrk: string, folder: string, load: Load): Promise<Measured> {
  const { url, connections, seconds } = load;
  const script = join(folder, "load.lua");
  await Deno.writeTextFile(script, askLua(load) + DONE_LUA);
  const text = await output(wrk, [
    ...["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s"],
    ...["-s", script, url],
  ]);
  const line = text.match(/^RESULT (.*)$/m)?.[1];
  if (line === undefined) throw new Error(`Run wrk on ${url}: no result\n${text}`);
  const result: WrkResult = JSON.parse(line);
  const failed = Object.entries(result.errors).filter(([, count]) => count > 0);
  if (failed.length > 0 || result.requests === 0) {
    const what = failed.map(([kind, count]) => `${count} × ${kind}`).join(", ");
    throw new Error(`Load ${url}: ${what || "no answers"} in ${result.requests} answers`);
  }
  return {
    requests: result.requests,
    perSecond: result.requests / (result.microseconds / 1e6),
    p50: result.p50 / 1000,
    p99: result.p99 / 1000,
    p999: result.p999 / 1000,
  };
}

/** One request for one id is a constant to wrk; anything else is put together for each request. */
function askLua({ url, shape }: Load): string {
  const [first] = shape.requests;
  if (first !== undefined && shape.requests.length === 1 && shape.ids === 1) {
    const headers = Object.entries(first.headers ?? {});
    return [
      `wrk.method = ${lua(first.method)}`,
      `wrk.path = ${lua(pathOf(first, "n1"))}`,
      ...headers.map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`),
      "",
    ].join("\n");
  }
  const turns = shape.requests.flatMap((request) =>
    Array.from({ length: request.weight }, () => request)
  );
  const { host } = new URL(url);
  return `
local random = math.random
math.randomseed(${Math.floor(Math.random() * 1e9)})
local heads = { ${turns.map((request) => lua(headOf(request))).join(", ")} }
local tails = { ${turns.map((request) => lua(tailOf(request, host))).join(", ")} }
function request()
  local turn = random(${turns.length})
  return heads[turn] .. random(${shape.ids}) .. tails[turn]
end
`;
}

function headOf({ method, path }: BenchRequest): string {
  return `${method} ${path.slice(0, path.indexOf("{id}"))}n`;
}

function tailOf({ path, headers = {} }: BenchRequest, host: string): string {
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) =>
    `${name}: ${value}\r\n`
  );
  return `${path.slice(path.indexOf("{id}") + 4)} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** A string as Lua writes it; what is asked for is plain ASCII. */
function lua(text: string): string {
  return JSON.stringify(text);
}

const DONE_LUA = `
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"p999":%d,' ..
    '"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}\\n',
    summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9),
    e.connect, e.read, e.write, e.status, e.timeout))
end
`;

/**
 * Run by name and outside the project, so that autocannon is not fetched where wrk is installed.
 */
async function runAutocannon({ url, shape, connections, seconds }: Load): Promise<Measured> {
  const [request] = shape.requests;
  if (request === undefined) throw new Error("Run autocannon: nothing to ask for");
  const headers = Object.entries(request.headers ?? {});
  const text = await output(Deno.execPath(), [
    ...["run", "--quiet", "-A", "--no-lock", "--no-config", "npm:autocannon@8"],
    ...["--json", "-c", String(connections), "-d", String(seconds), "-m", request.method],
    ...headers.flatMap(([name, value]) => ["-H", `${name}=${value}`]),
    url + pathOf(request, "n1"),
  ]);
  const result: {
    requests: { average: number; total: number };
    latency: { p50: number; p99: number; p99_9: number };
    errors: number;
    non2xx: number;
  } = JSON.parse(text);
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(`Load ${url}: ${result.errors} errors, ${result.non2xx} answers not 2xx`);
  }
  const { p50, p99, p99_9 } = result.latency;
  const { average, total } = result.requests;
  return { requests: total, perSecond: average, p50, p99, p999: p99_9 };
}

async function output(program: string, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(program, { args, stdin: "null" })
    .output();
  const text = new TextDecoder().decode(stdout);
  if (code === 0) return text;
  throw new Error(`${program} ended with ${code}: ${text}${new TextDecoder().decode(stderr)}`);
}
