/** A process to start, and what to ask it first. */
export type Start = {
  line: string[];
  env: Record<string, string>;
  request: { method: string; path: string; headers: Record<string, string> };
};

/** The folder in which a process starts, and whether it only fills the caches for later starts. */
export type Run = Start & { cwd: string; fillsCaches?: boolean };

/**
 * Lifetime of a process that fills caches, in milliseconds. Deno writes the cache of compiled code
 * some time after the start.
 */
const FILLING_MS = 1000;

/**
 * Milliseconds from the start of a process in `cwd` to its first answer of 200; the process is then
 * killed.
 */
export async function firstAnswer({ line, env, request, cwd, fillsCaches }: Run) {
  const [program = "", ...args] = line;
  const client = Deno.createHttpClient({});
  const begin = performance.now();
  const process = new Deno.Command(program, {
    args,
    cwd,
    env: { HOST: "127.0.0.1", PORT: "0", NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const kill = () => process.kill("SIGKILL");
  // An interrupted benchmark exits without coming back here.
  addEventListener("unload", kill);
  try {
    const url = await readAddress(process.stdout) + request.path;
    const { method, headers } = request;
    for (;;) {
      const response = await fetch(url, { method, headers, client });
      await response.body?.cancel();
      const took = performance.now() - begin;
      if (response.ok && fillsCaches) await new Promise((done) => setTimeout(done, FILLING_MS));
      if (response.ok) return took;
      // Only a service whose store is not connected yet is worth asking again.
      if (response.status !== 503) throw new Error(`Ask ${url}: it answers ${response.status}`);
    }
  } finally {
    client.close();
    removeEventListener("unload", kill);
    kill();
    await process.status;
  }
}

async function readAddress(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stdout) {
    text += decoder.decode(bytes, { stream: true });
    const address = text.match(/(http:\/\/[^\s/]+:\d+)\s/)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`Wait for an address: the process ended\n${text}`);
}
