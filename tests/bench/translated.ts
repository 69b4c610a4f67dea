// Measures what the address of another counter costs beyond the address that it is here: CPU time
// for each request of one process that both are asked of in turns. Options: --rounds 8, --seconds
// 1.
import { parseArgs } from "node:util";
import { counterId } from "../../src/domain/counter_id.ts";
import { Keys } from "../../src/auth/keys.ts";
import { Secret } from "../../src/auth/secret.ts";
import { COMPAT_SERVICES } from "../../src/compat/services.ts";
import { COMPAT_NAMES, type CompatName } from "../../src/hits/serve_as.ts";
import { startService } from "../support/service.ts";
import { findLoader } from "./load.ts";
import { median } from "./median.ts";
import { BENCH_SECRET, benchStack, serviceEnv } from "./servers.ts";
import { processorSeconds } from "./sizes.ts";
import { figure, table } from "./table.ts";
import { TEMP_PREFIX } from "../support/temp_dir.ts";

/** Badges as READMEs embed them, by their peers. */
const EMBEDDED: readonly (readonly [peer: CompatName, address: string])[] = [
  ["komarev", "/ghpvc/?username=octocat&label=Profile%20views&color=0e75b6&style=flat"],
  ["visitor-badge", "/badge?page_id=octocat.hello&left_color=red&right_color=green"],
  ["visitor-badge", "/badge?page_id=octocat.hello&query_only=true"],
  [
    "seeyoufarm",
    "/api/count/incr/badge.svg?url=https%3A%2F%2Fgithub.com%2Foctocat&count_bg=%2379C83D&title=hits",
  ],
  ["dwyl", "/octocat/hello.svg"],
  ["hits.sh", "/github.com/octocat/hello.svg?label=Project%20views&color=f1c40f"],
  ["profile-counter", "/octocat/count.svg"],
];
/** A browser, because requests of crawlers are not counted. */
const READER = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox" };

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "8" },
    seconds: { type: "string", default: "1" },
  },
});

await using stack = benchStack();
const folder = await Deno.makeTempDir({ prefix: `${TEMP_PREFIX}bench-` });
stack.defer(() => Deno.remove(folder, { recursive: true }));
const loader = findLoader(folder);
if (!loader.everyShape) Deno.exit(1);
const SERVE_AS = COMPAT_NAMES.map((name) => `${name}/`).join();
const env = { ...serviceEnv("memory:"), SERVE_AS };
const service = stack.use(await startService({ env }));
const keys = new Keys(new Secret(BENCH_SECRET));

const rows = [];
for (const [peer, address] of EMBEDDED) {
  const own = ownAddressOf(peer, address);
  const times = { own: [] as number[], translated: [] as number[] };
  for (let round = 0; round <= Number(values.rounds); round++) {
    const ownTime = await timeOf(own);
    const translatedTime = await timeOf(`/as/${peer}${address}`);
    // The first seconds are those of the compiler.
    if (round === 0) continue;
    times.own.push(ownTime);
    times.translated.push(translatedTime);
  }
  const more = median(times.translated.map((time, round) => time - (times.own[round] ?? NaN)));
  rows.push([
    `/as/${peer}${address}`.slice(0, 60),
    ...[median(times.own), median(times.translated), more].map(figure),
  ]);
}
console.log(table(["translated badge, µs of CPU", "own address", "this one", "more"], rows));

/** Microseconds of CPU that a request takes the service. */
async function timeOf(path: string): Promise<number> {
  const shape = {
    requests: [{ method: "GET" as const, path, headers: READER, weight: 1 }],
    ids: 1,
  };
  const before = processorSeconds(service.pid);
  const { requests } = await loader.run({
    ...{ url: service.url, shape, connections: 16, seconds: Number(values.seconds) },
  });
  return (processorSeconds(service.pid) - before) / requests * 1e6;
}

/** Returns the address here of another service's badge. */
function ownAddressOf(peer: CompatName, address: string): string {
  const { pathname, searchParams } = new URL(address, "http://peer.example");
  for (const { path, translate } of COMPAT_SERVICES[peer]) {
    const found = path.exec(decodeURIComponent(pathname));
    if (found === null) continue;
    const asked = { get: (name: string) => searchParams.get(name) ?? undefined };
    const translation = translate(found, { ...asked, referrer: undefined, body: "" });
    if (!("counter" in translation)) break;
    const { path: target, counter, parameters } = translation;
    const id = counterId(`${peer}/${counter.id}`);
    const query = new URLSearchParams({ id });
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) query.set(name, value);
    }
    if (counter.counts) query.set("key", keys.make("counter", id).key);
    return `${target}?${query}`;
  }
  throw new Error(`Measure ${peer}${address}: it is no badge`);
}
