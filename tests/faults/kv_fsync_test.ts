import { strictEqual } from "node:assert/strict";
import { startService } from "../support/service.ts";
import { ProcessOutput } from "../support/process_output.ts";
import { tempDir } from "../support/temp_dir.ts";
import { SECRET } from "../support/secret.ts";
import { hitOnce } from "./load.ts";
import { reportKept } from "./numbers.ts";

const env = { SECRET_TOKEN: SECRET };

Deno.test({
  name: "Deno KV: a hit whose fsync fails is 504, as a crash makes it count after all",
  ignore: !await canTrace(),
  async fn() {
    await using folder = await tempDir();
    {
      await using service = await startService({ cwd: folder.path, env });
      strictEqual((await hitOnce({ service })).answer?.status, 200);
      await using _broken = await breakFsync(service.pid);
      strictEqual((await hitOnce({ service })).answer?.status, 504);
      await service.kill();
    }
    await using service = await startService({ cwd: folder.path, env });
    const { answer } = await hitOnce({ service });
    strictEqual(JSON.parse(answer?.body ?? "").hits, 3);
    reportKept({ fault: "EIO at fsync, then kill -9, Deno KV", runs: 1, measured: "504" });
  },
});

/** Lets every fsync of a process fail from now on. */
async function breakFsync(pid: number): Promise<AsyncDisposable> {
  const calls = "fsync,fdatasync";
  const tracer = new Deno.Command("strace", {
    args: ["-f", "-p", `${pid}`, "-e", `trace=${calls}`, "-e", `inject=${calls}:error=EIO`],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = new ProcessOutput([tracer.stdout, tracer.stderr]);
  await output.find(/attached/, 10_000);
  return {
    async [Symbol.asyncDispose]() {
      try {
        tracer.kill();
      } catch {
        // It ended with the process that it traced.
      }
      await tracer.status;
      await output.ended;
    },
  };
}

/** Whether there is a tracer that may trace. */
async function canTrace(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  try {
    return (await new Deno.Command("strace", { args: ["-o", "/dev/null", "true"] }).output())
      .success;
  } catch {
    return false;
  }
}
