// Compiles dist/tallymark.js to the binary dist/tallymark, with the flags of the `start` task. The
// argument names another target, whose binary is dist/tallymark-TARGET.
import config from "../deno.json" with { type: "json" };

const words = config.tasks.start.command.split(" ");
const flags = words.filter((word) => word.startsWith("-"));
const [target] = Deno.args;
const { success } = await new Deno.Command(Deno.execPath(), {
  args: [
    ...["compile", "--no-config", "--unstable-kv", ...flags],
    ...(target === undefined ? [] : ["--target", target]),
    ...["-o", `dist/tallymark${target === undefined ? "" : `-${target}`}`, "dist/tallymark.js"],
  ],
}).spawn().status;
if (!success) {
  console.error(
    "Cannot compile: see the error above. If dl.deno.land is unreachable, from which Deno " +
      "downloads the base of the binary once, run the bundle dist/tallymark.js instead " +
      "(.deploy/README.md).",
  );
  Deno.exit(1);
}
