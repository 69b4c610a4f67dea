import { doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { reservePort } from "../../support/reserved_port.ts";
import { runService, spawnService, startService, statusOf } from "../../support/service.ts";
import { startFlags } from "../../support/service_command.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { waitFor } from "../../support/wait_for.ts";
import { SECRET } from "../../support/secret.ts";

Deno.test("settings that are not UTF-8 are told by name and never shown", async () => {
  const { code, stdout, stderr } = await runService({
    wrap: (line) => [
      ...["sh", "-c", `SECRET_TOKEN=$(printf '\\377${SECRET}') HOST=$(printf '\\377') exec "$@"`],
      ...["sh", ...line],
    ],
  });
  strictEqual(code, 1);
  match(stderr, /^ {2}SECRET_TOKEN must be UTF-8 text$/m);
  match(stderr, /^ {2}HOST must be UTF-8 text$/m);
  doesNotMatch(stdout + stderr, new RegExp(SECRET));
});

Deno.test({
  name: "with both on a full disk the service starts, counts, and tells of trouble",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const port = reservePort();
    await using service = await spawnService({
      env: { PORT: String(port), SECRET_TOKEN: SECRET, PUBLIC_READS: "1" },
      wrap: (line) => ["sh", "-c", 'exec "$@" >/dev/full 2>/dev/full', "sh", ...line],
    });
    const url = `http://127.0.0.1:${port}`;
    await waitFor("the service", () => statusOf(`${url}/healthz`).catch(() => undefined));
    strictEqual(await statusOf(`${url}/hit?token=${SECRET}`), 200);
    // Each of these would be a line of the log.
    await Deno.remove(join(service.cwd, "data", "counters.kv"));
    await waitFor("a hit to be refused", async () => {
      return await statusOf(`${url}/hit?token=${SECRET}`) === 503 || undefined;
    });
    strictEqual(await statusOf(`${url}/healthz`), 200);
    strictEqual((await service.stop()).code, 0);
  },
});

Deno.test("two links to one counter file cannot give it two owners", async () => {
  await using folder = await tempDir();
  await Deno.mkdir(join(folder.path, "data"));
  await Deno.symlink(join(folder.path, "counters.kv"), join(folder.path, "data", "counters.kv"));
  const { code, stderr } = await runService({ cwd: folder.path });
  strictEqual(code, 1);
  match(stderr, /^Tallymark cannot start: data\/counters\.kv is a symbolic link: name its target/);
});

/** Characters: about the longest query that is taken. */
const LONGEST = 7_900;

Deno.test("labels and fonts from long URLs do not keep the URLs", async () => {
  // The 2,000 looks that are cached would keep 16 MB of them.
  await using service = await startService({
    env: { STORE_URL: "memory:" },
    flags: ["--v8-flags=--max-old-space-size=38", ...startFlags()],
  });
  const rest = "z".repeat(LONGEST);
  for (let start = 0; start < 2000; start += 20) {
    const answers = Array.from({ length: 20 }, (_, index) => {
      const label = `a-label-of-more-than-a-few-letters-${start + index}`;
      return statusOf(`${service.url}/badge?label=${label}&x=${rest}`);
    });
    ok((await Promise.all(answers)).every((status) => status === 200));
  }
});
