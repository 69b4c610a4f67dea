import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "./programs.ts";

/** Blocks of pages to paste. */
export interface Blocks {
  /** Returns the block that has this part. Throws if there is not exactly one. */
  blockWith(part: string): string;
  /** Fails unless each block was returned or cannot run here. */
  checkAll(): void;
}

/** Reads the blocks of pages. A part and a reason name each that cannot run here. */
export function readBlocks(
  pages: readonly string[],
  skipped: readonly (readonly [part: string, reason: string])[],
): Blocks {
  const blocks = pages.flatMap((page) => {
    const text = Deno.readTextFileSync(join(projectFolder, page));
    return [...text.matchAll(/^( *)```\w*\n([^]*?)^\1```$/gm)].map(([, indent = "", block = ""]) =>
      block.replaceAll(new RegExp(`^${indent}`, "gm"), "")
    );
  });
  const left = new Set(blocks);
  const having = (part: string) => blocks.filter((text) => text.includes(part));
  return {
    blockWith(part) {
      const [block, other] = having(part);
      if (block === undefined || other !== undefined) {
        throw new Error(`Find a block: ${having(part).length} have ${part}`);
      }
      left.delete(block);
      return block;
    },
    checkAll() {
      for (const [part] of skipped) {
        ok(having(part).length > 0, part);
        for (const block of having(part)) left.delete(block);
      }
      deepStrictEqual([...left], []);
    },
  };
}

/**
 * Runs lines as a reader does, except that a request that fails ends them; returns what they print.
 */
export async function paste(
  lines: string,
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> },
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euo", "pipefail", "-c", `curl() { command curl -fsS "$@"; }\n${lines}`],
    ...cwd !== undefined && { cwd },
    env,
  }).output();
  const [printed, complaints] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  strictEqual(code, 0, `${printed}\n${complaints}`);
  return printed ?? "";
}
