import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { startFlags } from "../support/service_command.ts";
import { openSources } from "../support/external_sources.ts";
import { needsPrograms, projectFolder } from "../support/programs.ts";
import { reservePort } from "../support/reserved_port.ts";
import { tempDir } from "../support/temp_dir.ts";

const file = (await Deno.readTextFile(join(projectFolder, ".deploy/no_server.yml")))
  .replaceAll("${{ github.repository }}", "o/r");

Deno.test({
  name:
    ".deploy/no_server.yml: three nights add to the totals in the repository, and a missed or failed one loses nothing",
  ...needsPrograms("git", "curl", "node", "openssl"),
  async fn(t) {
    await using folder = await tempDir();
    const repository = await startRepository(folder.path);
    const releases = [[100]];
    const stars = new Map([["2024-06-01", 40], ["2024-06-02", 2]]);
    using sources = openSources({
      stars,
      views: new Map(),
      releases,
      npm: new Map(),
      pypi: new Map(),
      crates: { newest: new Map(), others: new Map() },
      pulls: 0,
      installs: 0,
    });
    const night = () => repository.runNight(sources.env);

    await t.step("the first night writes the counters and both images", async () => {
      await night();
      deepStrictEqual(await repository.totals(), { downloads: 100, stars: 42 });
      match(await repository.read("stars.svg"), /^<svg [^]*42/);
      match(await repository.read("downloads.svg"), /^<svg [^]*100/);
    });

    await t.step(
      "on the second a source fails: the other adds what was new, also to the day",
      async () => {
        releases.push([11]);
        stars.set("2024-06-03", 1);
        sources.github.planned = [() => new Response("no", { status: 500 })];
        const { failed } = await night();
        strictEqual(failed, "1");
        deepStrictEqual(await repository.totals(), { downloads: 111, stars: 42 });
        const line = (await repository.read("counters.ndjson")).split("\n")[0] ?? "";
        deepStrictEqual(Object.values(JSON.parse(line).days), [11]);
        match(await repository.read("downloads.svg"), /111/);
      },
    );

    await t.step("after that and a missed night, everything is counted with the next", async () => {
      releases.push([200], [3000]);
      const { failed } = await night();
      strictEqual(failed, undefined);
      deepStrictEqual(await repository.totals(), { downloads: 3311, stars: 43 });
      match(await repository.log(), /^(Totals of [\d-]{10}\n){3}start\n$/);
    });
  },
});

/** Starts a repository with an empty commit and a place to push to. */
async function startRepository(folder: string) {
  const path = join(folder, "repository");
  await Deno.mkdir(join(folder, "runner/tallymark"), { recursive: true });
  await Deno.remove(join(folder, "runner/tallymark"));
  await Deno.symlink(projectFolder, join(folder, "runner/tallymark"));
  await Deno.mkdir(join(folder, "bin"));
  // Starts the server as the task does, but as one process, which a signal reaches.
  const start = [
    Deno.execPath(),
    "run",
    "--cached-only",
    "--no-prompt",
    ...startFlags(),
    "main.ts",
  ];
  const npx = `#!/bin/sh\nexec ${start.map((word) => `'${word}'`).join(" ")}\n`;
  await Deno.writeTextFile(join(folder, "bin/npx"), npx, { mode: 0o755 });
  const git = (...args: string[]) => bash(`git ${args.join(" ")}`, path);
  await Deno.mkdir(path);
  await git("init", "-q", "-b", "main");
  await git("init", "-q", "--bare", "../origin.git");
  await git("-c user.name=a -c user.email=a@localhost commit -q --allow-empty -m start");
  await git("remote add origin ../origin.git");
  await git("push -q -u origin main");

  async function bash(script: string, cwd: string, env: Record<string, string> = {}) {
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      cwd,
      env,
    }).output();
    const [printed = "", complaints = ""] = [stdout, stderr].map((bytes) =>
      new TextDecoder().decode(bytes)
    );
    strictEqual(code, 0, `${printed}\n${complaints}`);
    return printed;
  }

  const read = (name: string) => Deno.readTextFile(join(path, name));
  return {
    read,
    log: () => git("log", "--format=%s", "origin/main"),
    async totals() {
      const lines = (await read("counters.ndjson")).trim().split("\n").slice(0, -1);
      return Object.fromEntries(lines.map((line) => {
        const { id, hits } = JSON.parse(line);
        return [id.replace("github/o/r/", ""), hits];
      }));
    },
    /** Runs the steps of one night. `failed` is the output that the last step tests. */
    async runNight(sources: Record<string, string>): Promise<{ failed: string | undefined }> {
      const output = join(folder, "output");
      await Deno.writeTextFile(output, "");
      const [numbers = "", commit = ""] = blocks("run");
      const [keep = ""] = blocks("KEEP");
      const [images = ""] = blocks("IMAGES");
      ok(numbers && commit && keep && images, "the file has all blocks");
      // The runner ends what a step has left running.
      await bash(`trap 'kill $!; wait $! || true' EXIT\n${numbers}`, path, {
        ...sources,
        KEEP: keep,
        IMAGES: images,
        STORE_URL: "memory:",
        HOST: "127.0.0.1",
        PORT: String(reservePort()),
        RUNNER_TEMP: join(folder, "runner"),
        GITHUB_OUTPUT: output,
        GITHUB_TOKEN: "",
        PATH: `${join(folder, "bin")}:${Deno.env.get("PATH")}`,
      });
      await bash(commit, path);
      return { failed: /^failed=(.*)$/m.exec(await Deno.readTextFile(output))?.[1] };
    },
  };
}

/** Returns the texts of all block scalars of a key, in the order of the file. */
function blocks(key: string): string[] {
  const found = file.matchAll(new RegExp(`^( *)${key}: \\|\\n((?:\\1 +.*\\n|\\n)+)`, "gm"));
  return [...found].map(([, indent = "", text = ""]) =>
    text.replaceAll(new RegExp(`^${indent}  `, "gm"), "")
  );
}
