import { match, notStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { startLocalService } from "../support/local_service.ts";
import { findOnPath, needsPrograms, projectFolder } from "../support/programs.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { tempDir } from "../support/temp_dir.ts";

// Docker is not needed for what the containers of ours run: the shell lines in the file.
const file = await Deno.readTextFile(join(projectFolder, ".deploy/compose.yaml"));
// Compose takes two dollars for one.
const commands = file.replaceAll("$$", "$");

const caddy = findOnPath(["caddy"]);

Deno.test({
  name: ".deploy/compose.yaml: Caddy takes the Caddyfile for the name of the server",
  ...needsPrograms("caddy"),
  fn: async () => {
    await using folder = await tempDir();
    const [, quoted = ""] = /"(sed .*?) && exec caddy run/.exec(commands) ?? [];
    const line = quoted.replaceAll('\\"', '"')
      .replace("/Caddyfile >", `${join(projectFolder, ".deploy/Caddyfile")} >`)
      .replace("/tmp/Caddyfile", join(folder.path, "Caddyfile"));
    const HOST_NAME = "counter.example";
    strictEqual((await shell(line, { HOST_NAME })).code, 0);
    const written = await Deno.readTextFile(join(folder.path, "Caddyfile"));
    strictEqual(written.match(/^counter\.example \{$/gm)?.length, 1);
    strictEqual(written.match(/reverse_proxy tallymark:8000/g)?.length, 2);
    const { code } = await new Deno.Command(caddy ?? "caddy", {
      args: ["validate", "--adapter", "caddyfile", "--config", join(folder.path, "Caddyfile")],
      env: { HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
      stdout: "null",
      stderr: "null",
    }).output();
    strictEqual(code, 0);
  },
});

Deno.test(".deploy/compose.yaml: the backup keeps a whole export, and none that failed", async () => {
  await using folder = await tempDir();
  await using service = await startLocalService({ SECRET_TOKEN: SECRET });
  const [, block = ""] = / - \|\n((?: {8}.*\n)+)/.exec(commands) ?? [];
  match(block, /while sleep /);
  const made = await fetch(`${service.url}/key?job=backup`, { headers: authorized });
  const { key } = await made.json();
  const once = (url: string, BACKUP_KEY = key) =>
    shell(
      // One night, and no waiting for it.
      `nights=1; sleep() { [ $((nights--)) -gt 0 ]; }\n` +
        block.replaceAll("/backups/", `${folder.path}/`).replaceAll("http://tallymark:8000", url),
      { BACKUP_KEY },
      "bash",
    );
  const kept = () => [...Deno.readDirSync(folder.path)].map(({ name }) => name);
  // Loud from the start, and not only at night.
  notStrictEqual((await once(service.url, "")).code, 0);
  strictEqual(kept().join(), "");
  await once("http://127.0.0.1:1");
  strictEqual(kept().join(), "counters.new");
  await once(service.url);
  const [name = ""] = kept();
  match(name, /^counters-[1-7]\.ndjson$/);
  strictEqual(await Deno.readTextFile(join(folder.path, name)), '{"counters":0}\n');
});

function shell(script: string, env: Record<string, string>, program = "sh") {
  return new Deno.Command(program, { args: ["-c", script], env }).output();
}
