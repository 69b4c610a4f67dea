import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { ProcessOutput } from "../../support/process_output.ts";
import { onReservedPort, reservePort } from "../../support/reserved_port.ts";
import { startProxy } from "../../support/tcp_proxy.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { FAR_AWAY_MS } from "../../support/time_limit.ts";

/** Two processes that did not know of each other would have some of so many in common. */
const MANY = 1000;

Deno.test("reservePort: gives no port twice, also while nobody listens on it yet", () => {
  const ports = Array.from({ length: MANY }, reservePort);
  strictEqual(new Set(ports).size, ports.length);
});

Deno.test("reservePort: gives no port that another process has reserved, and leaves nothing behind", async () => {
  await using folder = await tempDir();
  const others = [startOther(folder.path), startOther(folder.path)];
  // Both hold their ports until both have printed them.
  const ports = await Promise.all(others.map(({ ports }) => ports));
  strictEqual(new Set(ports.flat()).size, 2 * MANY);
  for (const { process, ended } of others) {
    await process.stdin.close();
    await ended;
  }
  deepStrictEqual([...Deno.readDirSync(folder.path)], []);
});

Deno.test("reservePort: a claim of a process that was killed ends when it is met", async () => {
  await using folder = await tempDir();
  const stale = Array.from({ length: MANY }, (_, index) => `tallymark-port-${10_000 + index}`);
  // No process has this id: Linux gives at most 4,194,304.
  for (const name of stale) Deno.writeTextFileSync(join(folder.path, name), "2147483647");
  const other = startOther(folder.path);
  strictEqual((await other.ports).length, MANY);
  await other.process.stdin.close();
  await other.ended;
  ok([...Deno.readDirSync(folder.path)].length < stale.length);
});

Deno.test({
  name: "startProxy: while it refuses, its port is none that the system gives to others",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using proxy = startProxy({ port: 1 });
    await proxy.refuse();
    const range = await Deno.readTextFile("/proc/sys/net/ipv4/ip_local_port_range");
    const [first = 0, last = 0] = range.trim().split(/\s+/).map(Number);
    ok(proxy.port < first || proxy.port > last, `${proxy.port} is between ${first} and ${last}`);
    const { port } = proxy;
    using _anywhere = onReservedPort(() => Deno.listen({ hostname: "127.0.0.1", port }));
  },
});

Deno.test("startProxy: refuses and accepts on its port while other threads start programs", async () => {
  const program = `for (;;) await new Deno.Command("true").output();`;
  const url = `data:text/javascript,${encodeURIComponent(program)}`;
  const threads = [1, 2].map(() => new Worker(url, { type: "module" }));
  try {
    await using proxy = startProxy({ port: 1 });
    for (let time = 0; time < 500; time++) {
      await proxy.refuse();
      const { port } = proxy;
      await rejects(Deno.connect({ hostname: "127.0.0.1", port }), Deno.errors.ConnectionRefused);
      proxy.accept();
    }
  } finally {
    for (const thread of threads) thread.terminate();
  }
});

/** Another process that reserves ports, prints them, and ends with its standard input. */
function startOther(TMPDIR: string) {
  const program = `
    import { onReservedPort, reservePort } from "${new URL(
    "../../support/reserved_port.ts",
    import.meta.url,
  )}";
    console.log(JSON.stringify(Array.from({ length: ${MANY} }, reservePort)));
    await Deno.stdin.read(new Uint8Array(1));
  `;
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", `data:text/javascript,${encodeURIComponent(program)}`],
    env: { TMPDIR },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = new ProcessOutput([process.stdout, process.stderr]);
  const ports = output.find(/^\[.*\]$/m, FAR_AWAY_MS).then(([line]): number[] => JSON.parse(line));
  return { process, ports, ended: Promise.all([output.ended, process.status]) };
}
