import { tempDir } from "./temp_dir.ts";

/**
 * Options of tests that mount. They are skipped if mounting is not allowed, which it is for root in
 * some containers only.
 */
export const needsMount: { ignore: boolean } = { ignore: !await canMount() };

/** Mounts a disk of so many bytes, such as "8m", on a folder until it is disposed of. */
export async function mountDisk(path: string, size: string): Promise<AsyncDisposable> {
  return await mounted(path, ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
}

/** Mounts a file or folder on another until it is disposed of. */
export async function mountOn(path: string, from: string): Promise<AsyncDisposable> {
  return await mounted(path, ["--bind", from, path]);
}

/** Makes a file or folder read-only, even for root, until it is disposed of. */
export async function mountReadOnly(path: string): Promise<AsyncDisposable> {
  const mount = await mountOn(path, path);
  if (await run("mount", "-o", "remount,bind,ro", path)) return mount;
  await mount[Symbol.asyncDispose]();
  throw new Error(`Make ${path} read-only: not allowed`);
}

/** Takes every byte that the disk has left. */
export async function fillDisk(path: string): Promise<void> {
  using file = await Deno.open(path, { create: true, write: true });
  const chunk = new Uint8Array(4096);
  try {
    for (;;) await file.write(chunk);
  } catch {
    // The disk is full.
  }
}

async function mounted(path: string, args: string[]): Promise<AsyncDisposable> {
  if (!await run("mount", ...args)) throw new Error(`Mount on ${path}: not allowed`);
  return {
    async [Symbol.asyncDispose]() {
      await run("umount", "-l", path);
    },
  };
}

async function canMount(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  await using folder = await tempDir();
  if (!await run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path)) return false;
  return await run("umount", folder.path);
}

async function run(command: string, ...args: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" })
      .output();
    return success;
  } catch {
    // There is no such program.
    return false;
  }
}
