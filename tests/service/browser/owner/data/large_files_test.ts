import { rejects } from "node:assert/strict";
import { constants, deflateRawSync } from "node:zlib";
import { openFile } from "../../../../../src/browser/owner/data/open_files.ts";
import { zip } from "../../../../support/data_files.ts";

Deno.test("more than 300 MB are refused, also if they are packed", async () => {
  const large = Object.assign(new File(["a"], "x.csv"), {});
  Object.defineProperty(large, "size", { value: 300_000_001 });
  await rejects(() => Array.fromAsync(openFile(large)), /larger than 300 MB/);
  // A small archive may hold any number of texts, of which each alone is not too large.
  const million = new Uint8Array(1_000_000).fill(0x61);
  const block = deflateRawSync(million, { finishFlush: constants.Z_FULL_FLUSH });
  const packed = new Blob([...Array(300).fill(block), new Uint8Array([3, 0])]);
  const archive = await zip({ "a.csv": "a", "b.csv": packed });
  await rejects(
    () => Array.fromAsync(openFile(new File([archive], "x.zip"))),
    /larger than 300 MB/,
  );
});
