import { linkTokenOf } from "../auth/signed_token.ts";
import { MIN_SECRET_LENGTH } from "../auth/secret.ts";
import { errorMessage, StartError } from "../start_error.ts";
import { VERSION } from "../version.ts";
import { localUrl } from "./banner.ts";
import { type Config, parseConfig } from "./config.ts";
import { readEnvironment } from "./environment.ts";
import { findSecret } from "./generated_secret.ts";
import { explainFailure, parsePublicUrl, type Setting, SETTINGS } from "./settings.ts";
import type { StoreSetting } from "../store/setting.ts";

/** The output of a command and the exit code of the process. An error goes to standard error. */
type CommandResult = { readonly text: string; readonly code: 0 | 1 };

const OPTIONS = ["--help", "--version"];

/**
 * Runs the command that the arguments name instead of a server. Refuses all other arguments, so
 * that an option such as `--port 9000` is never ignored. Only commands that need them load the
 * settings.
 */
export async function runCommand(args: readonly string[]): Promise<CommandResult> {
  const unknown = args.find((text) => text.startsWith("-") && !OPTIONS.includes(text));
  if (unknown !== undefined) {
    const [option = ""] = unknown.split("=");
    return refusal(`Unknown option ${option}: ${hintFor(option)}.`);
  }
  const [command, url, ...others] = args.filter((text) => !OPTIONS.includes(text));
  if (others.length > 0 || (command ?? "link") !== "link") {
    return refusal("Unknown argument: the only command is link [URL]. See --help.");
  }
  if (args.includes("--help")) return { text: helpText(), code: 0 };
  if (args.includes("--version")) return { text: `Tallymark ${VERSION}`, code: 0 };
  return await printLink(url);
}

function refusal(text: string): CommandResult {
  return { text, code: 1 };
}

function hintFor(option: string): string {
  const name = option.slice(2).toUpperCase().replaceAll("-", "_");
  const isSetting = Object.values(SETTINGS).some((setting) => setting.name === name);
  return isSetting ? `set ${name} in the environment or in .env` : "see --help";
}

function helpText(): string {
  const settings: Setting<unknown>[] = Object.values(SETTINGS);
  return `Tallymark ${VERSION}, a hit counter and badge service

Without arguments, the server starts. Otherwise:
  link [URL]  Print a link to the page of the server at URL that signs you in once within ten minutes.
              The default of URL is PUBLIC_URL, or follows from HOST and PORT.
  --help      Print this text.
  --version   Print the version.

Settings are environment variables, or lines of a file .env in the working directory:
${settings.map(settingText).join("\n")}`;
}

function settingText({ name, default: value = "", meaning }: Setting<unknown>): string {
  return `  ${name} (${value === "" ? "not set by default" : `default: ${value}`})\n      ${
    meaning.replaceAll("`", "")
  }`;
}

async function printLink(url: string | undefined): Promise<CommandResult> {
  try {
    const config = parseConfig((await readEnvironment()).environment);
    const page = url === undefined ? defaultPage(config) : parsePage(url);
    const token = linkTokenOf(config.secret ?? keptSecret(config.store));
    if (token !== undefined) return { text: `${page}/#sign-in=${token}`, code: 0 };
    throw new StartError(`the secret is shorter than ${MIN_SECRET_LENGTH} characters`);
  } catch (error) {
    return refusal(explainFailure("Cannot create a sign-in link", error));
  }
}

function defaultPage({ publicUrl, hostname, port }: Config): string {
  if (publicUrl !== undefined) return publicUrl;
  if (port !== 0) return localUrl({ hostname, port });
  throw new StartError("PORT is 0, so add the URL, as in link http://localhost:8000");
}

/** Returns the address of a page without its last slash. */
function parsePage(text: string): string {
  try {
    return parsePublicUrl(text);
  } catch (error) {
    throw new StartError(`URL ${errorMessage(error)}`);
  }
}

/** Returns the secret that a server keeps in a file, and writes none. */
function keptSecret(store: StoreSetting): string {
  const { path, text } = findSecret(store);
  if (text !== undefined) return text;
  throw new StartError(
    `${path} does not exist or may not be read. Start the server once, or set SECRET_TOKEN`,
  );
}
