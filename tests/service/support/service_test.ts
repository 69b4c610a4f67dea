import { match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { runService, startService } from "../../support/service.ts";
import { tempDir } from "../../support/temp_dir.ts";

// A small program in the place of the service: what is tried here is the starting and ending.
const program = `
const end = Deno.args.includes("stubborn") ? () => {} : () => Deno.exit(0);
Deno.addSignalListener("SIGTERM", end);
if (Deno.args.includes("fail")) { console.error("bad PORT"); Deno.exit(1); }
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen({ port }) {
  console.log("Tallymark listens on http://127.0.0.1:" + port + " folder " + Deno.cwd());
} }, (request) => {
  console.error("asked for " + new URL(request.url).pathname);
  return new Response(JSON.stringify([Deno.env.get("SECRET_TOKEN"), Deno.env.get("OUTSIDE") ?? null]));
});
`;

Deno.test("startService: runs with its own environment and folder, stops in good order", async () => {
  await using folder = await tempDir();
  const entry = join(folder.path, "main.js");
  await Deno.writeTextFile(entry, program);
  Deno.env.set("OUTSIDE", "must not reach the service");
  let cwd: string;
  {
    await using service = await startService({ ...open, entry, env: { SECRET_TOKEN: "s" } });
    cwd = service.cwd;
    ok(service.stdout().includes(cwd));
    strictEqual(await (await fetch(`${service.url}/path`)).text(), '["s",null]');
    await service.waitForOutput(/asked for \/path/);
    match(service.stderr(), /asked for/);
    strictEqual((await service.stop()).code, 0);
  }
  await rejects(Deno.stat(cwd), Deno.errors.NotFound);
});

Deno.test("startService: a service that does not come up throws what it printed", async () => {
  await using folder = await tempDir();
  const entry = join(folder.path, "main.js");
  await Deno.writeTextFile(entry, program);
  await rejects(startService({ ...open, entry, args: ["fail"] }), /the process ended\s+bad PORT/);
  const ended = await runService({ ...open, entry, args: ["fail"] });
  strictEqual(ended.code, 1);
  strictEqual(ended.stderr, "bad PORT\n");
});

Deno.test("startService: a service that does not stop is killed at the time limit", async () => {
  await using folder = await tempDir();
  const entry = join(folder.path, "main.js");
  await Deno.writeTextFile(entry, program);
  await using service = await startService({ ...open, entry, args: ["stubborn"] });
  await rejects(service.stop("SIGTERM", 200), /not in 200 ms/);
  await rejects(runService({ ...open, entry, timeout: 300 }), /not in 300 ms/);
});

const open = { flags: ["--no-prompt", "--allow-net", "--allow-env", "--allow-read"] };
