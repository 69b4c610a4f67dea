import { basename, join } from "node:path";
import { projectFolder } from "../support/programs.ts";

/** Makes one file of an entry of the project, as the `bundle` task does; its path in `folder`. */
export async function bundle(entry: string, folder: string): Promise<string> {
  const file = join(folder, `${basename(entry, ".ts")}.js`);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--minify", "--platform", "browser", "-o", file, entry],
    cwd: projectFolder,
  }).output();
  if (success) return file;
  throw new Error(`Bundle ${entry}: ${new TextDecoder().decode(stderr)}`);
}
