// Takes nearly all file descriptors of its process, has a checkpoint run meanwhile, and says whether it did.
import { createCheckpointer } from "../../../../src/store/kv/file/checkpointer.ts";

const path = Deno.args[0] ?? "";
using kv = await Deno.openKv(path);
await kv.set(["key"], "value");
Deno.writeTextFileSync(`${path}.lock`, "");
const before = sizeOfFile();
const taken: Deno.FsFile[] = [];
try {
  for (;;) taken.push(Deno.openSync(`${path}.lock`));
} catch {
  // There are no more.
}
// As many as the process needs for itself.
for (const file of taken.splice(-4)) file.close();
const checkpointer = createCheckpointer(path, () => {});
checkpointer.onCommit();
await checkpointer.close();
console.log(sizeOfFile() > before ? "checkpoint" : "no checkpoint");
for (const file of taken) file.close();
const later = createCheckpointer(path, () => {});
later.onCommit();
await later.close();
console.log(sizeOfFile() > before ? "checkpoint" : "no checkpoint");

function sizeOfFile(): number {
  return Deno.statSync(path).size;
}
