import { VARIABLES } from "./settings.ts";

/** Garbage is collected early, where V8 would let it grow to four times of what lives (`deno run --v8-flags=--help`). */
const SMALL_HEAP = "--v8-flags=--max-semi-space-size=8,--heap-growing-percent=100";

/** The command that starts `entry`, a file or its URL, with the flags of the `start` task and the use of another folder. */
export function runLine(entry: string, otherFolder: string): string {
  // A single comma would end the folder and begin another.
  const folder = otherFolder.replaceAll(",", ",,");
  const flags = [
    "--unstable-kv",
    SMALL_HEAP,
    "--no-prompt",
    "--allow-net",
    `--allow-env=${VARIABLES.join(",")}`,
    `--allow-read=data,.env,${folder}`,
    `--allow-write=data,${folder}`,
  ];
  const file = entry.startsWith("file:") ? decodeURIComponent(new URL(entry).pathname) : entry;
  return ["deno", "run", ...flags, file].map(shellWord).join(" ");
}

/** Quoted where a shell would read more into it than its characters. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
