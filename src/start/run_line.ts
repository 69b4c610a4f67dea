import { VARIABLES } from "./settings.ts";

/** The command that starts `entry`, a file or its URL, with the permissions of the `start` task and the use of another folder. */
export function runLine(entry: string, otherFolder: string): string {
  // A single comma would end the folder and begin another.
  const folder = otherFolder.replaceAll(",", ",,");
  const flags = [
    "--unstable-kv",
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
