import { ONCE } from "./once_script.ts";
import { ADD, BEGIN, DELETE, TAKE_BACK } from "./scripts.ts";
import { SET } from "./set_script.ts";
import type { Command } from "./connection/client.ts";

/** A script and the name that Redis has for it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** The scripts of a store. */
export interface Scripts {
  readonly add: Script;
  readonly begin: Script;
  readonly once: Script;
  readonly takeBack: Script;
  readonly set: Script;
  readonly delete: Script;
}

/** What a script is called with. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/** Names the scripts. */
export async function nameScripts(): Promise<Scripts> {
  return {
    add: await named(ADD),
    begin: await named(BEGIN),
    once: await named(ONCE),
    takeBack: await named(TAKE_BACK),
    set: await named(SET),
    delete: await named(DELETE),
  };
}

/** The command that has Redis carry out a script which it knows. */
export function callOf({ sha }: Script, { keys, args }: ScriptCall): Command {
  return ["EVALSHA", sha, String(keys.length), ...keys, ...args.map(String)];
}

/** The same command with the script itself, for a Redis that does not know it; undefined where there is none. */
export function withText([name, sha, ...rest]: Command, scripts: Scripts): Command | undefined {
  const script = Object.values(scripts).find((each) => each.sha === sha);
  return name === "EVALSHA" && script !== undefined ? ["EVAL", script.text, ...rest] : undefined;
}

/** Whether a command calls this script. */
export function calls([name = "", which]: Command, { text, sha }: Script): boolean {
  return name.startsWith("EVAL") && (which === sha || which === text);
}

async function named(text: string): Promise<Script> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return { text, sha: new Uint8Array(digest).toHex() };
}
