// Compiles dist/tallymark.js to the binary dist/tallymark, with the flags of the `start` task.
import config from "../deno.json" with { type: "json" };

const words = config.tasks.start.command.split(" ");
const flags = words.filter((word) => word.startsWith("-"));
const { success } = await new Deno.Command(Deno.execPath(), {
  args: [
    ...["compile", "--no-config", "--unstable-kv", ...flags],
    ...["-o", "dist/tallymark", "dist/tallymark.js"],
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
