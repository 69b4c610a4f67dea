import { match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { paste } from "./documented_blocks.ts";
import { startService, statusOf } from "./service.ts";

/** The parts of the steps that follow those that install the program. */
export const SETTINGS_AND_PROXY: readonly string[] = [
  "HOST_NAME=hits.example.com\nprintf",
  "Caddyfile | sudo tee",
];

/**
 * Runs steps of .deploy/README.md below a folder in place of the system's, without root, and checks
 * the service that they leave.
 */
export async function runSteps(steps: string, { cwd, root }: { cwd: string; root: string }) {
  for (const name of ["etc/caddy", "etc/systemd/system", "usr/local/bin"]) {
    await Deno.mkdir(join(root, name), { recursive: true });
  }
  const stubs = `sudo() { "$@"; }; apt-get() { :; }; git() { :; }; systemctl() { :; }
    npx() { shift 2; '${Deno.execPath()}' "$@"; }\n`;
  await paste(stubs + steps.replaceAll(/(?<= )\/(?=etc|opt|usr)/g, `${root}/`), { cwd });
  const read = (name: string) => Deno.readTextFile(join(root, name));
  match(await read("etc/caddy/Caddyfile"), /^hits\.example\.com \{$/m);
  strictEqual(((await Deno.stat(join(root, "etc/tallymark.env"))).mode ?? 0) & 0o777, 0o600);
  const unit = await read("etc/systemd/system/tallymark.service");
  const command = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "")
    .replaceAll(/(?<= |^)\/(?=opt|usr)/g, `${root}/`).split(" ");
  const settings = (await read("etc/tallymark.env")).trim().split("\n").map((line) =>
    line.split("=")
  );
  await using service = await startService({
    env: { ...Object.fromEntries(settings), SECRET_TOKEN: "" },
    wrap: () => command,
  });
  match(service.url, /^http:\/\/127\.0\.0\.1:/);
  match(await (await fetch(`${service.url}/badge?id=home`)).text(), /^<svg /);
  // In place of systemd-run, which has eight options here.
  const run = `systemd-run() { shift 8; (cd '${service.cwd}' && "$@"); }; export -f systemd-run\n`;
  const script = (await read("usr/local/bin/tallymark-link"))
    .replaceAll(/(?<=[ "=])\/(?=opt|usr)/g, `${root}/`).replace("exec systemd-run", "systemd-run");
  const link = await paste(`${run}${script}`.replace("set -eu\n", ""), {
    cwd: service.cwd,
    env: Object.fromEntries(settings),
  });
  const [, token] = /^https:\/\/hits\.example\.com\/#sign-in=(\S+)\n$/.exec(link) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  strictEqual(await statusOf(`${service.url}/session`, { method: "POST", headers }), 200, link);
}
