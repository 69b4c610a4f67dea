import { doesNotMatch, match, strictEqual } from "node:assert/strict";
import { runCommand } from "../../../src/start/command_line.ts";

const refused: [args: string[], message: RegExp][] = [
  [["--port", "canary"], /^Unknown option --port: set PORT in the environment or in \.env\.$/],
  [["--port=canary"], /--port: set PORT/],
  [["--trust-proxy", "1"], /--trust-proxy: set TRUST_PROXY/],
  [["--SECRET_TOKEN=canary"], /--SECRET_TOKEN: set SECRET_TOKEN/],
  [["-p", "canary"], /^Unknown option -p: see --help\.$/],
  [["--constructor"], /^Unknown option --constructor: see --help\.$/],
  [["--help=canary"], /^Unknown option --help/],
  [["--help", "--port"], /--port/],
  [["canary"], /^Unknown argument: the only command is link/],
  [["canary", "--help"], /^Unknown argument/],
  [["link", "http://localhost:1", "canary"], /^Unknown argument/],
  [[""], /^Unknown argument/],
  [["--"], /^Unknown option --: see --help/],
];

for (const [args, message] of refused) {
  Deno.test(`arguments: ${JSON.stringify(args)} is refused in one sentence without its value`, async () => {
    const { code, text } = await runCommand(args);
    strictEqual(code, 1);
    match(text, message);
    strictEqual(text.split("\n").length, 1);
    doesNotMatch(text, /canary/);
  });
}
