import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "../support/programs.ts";

/**
 * The comments of the project follow these rules, so that a reader from any country understands
 * them at first.
 */
const RULES: readonly (readonly [reason: string, pattern: RegExp])[] = [
  [
    "begins with a verb or a noun phrase, not with a relative clause",
    /^(?:What|How|Whether|Of|Where|Why|Which|Whose|Who|The same|So)\b/,
  ],
  ["names the actor", /\b(?:nobody|somebody|whoever|everybody)\b/i],
  ["uses a verb or a term of the trade", /\b(?:stands?|lies?|beside|anew|meanwhile|for sure)\b/i],
  ["has one clause per sentence", /[;:].*[;:](?=\s|$)/],
];

const MAX_COLUMNS = 100;

const files = [...sourceFiles("src"), ...sourceFiles("tests"), "main.ts"].filter((file) =>
  /(?<!\.min)\.(?:ts|js)$/.test(file)
);
const texts = new Map(
  files.map((file) => [file, Deno.readTextFileSync(join(projectFolder, file))]),
);

for (const [reason, pattern] of RULES) {
  Deno.test(`writing: each comment ${reason}`, () => {
    const broken = [...texts].flatMap(([file, text]) =>
      commentsOf(text)
        .filter(({ words, isFirst }) =>
          pattern.test(words) && (isFirst || !pattern.source.startsWith("^"))
        )
        .map(({ line, words }) => `${file}:${line} ${words}`)
    );
    deepStrictEqual(broken, []);
  });
}

Deno.test(`writing: no line with a comment is longer than ${MAX_COLUMNS} columns`, () => {
  const long = [...texts].flatMap(([file, text]) =>
    text.split("\n").flatMap((line, index) =>
      line.length > MAX_COLUMNS && /^\s*(?:\/\/|\/?\*)/.test(line) ? [`${file}:${index + 1}`] : []
    )
  );
  deepStrictEqual(long, []);
});

Deno.test("writing: a constant is named MAX_ for a bound, not MOST_ or LONGEST_", () => {
  const named = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/\bconst ((?:MOST|LONGEST)_\w+)/g)].map(([, name]) => `${file} ${name}`)
  );
  deepStrictEqual(named, []);
});

interface Comment {
  readonly line: number;
  /** One line of the comment without its marks. */
  readonly words: string;
  /** True if the comment begins on this line. */
  readonly isFirst: boolean;
}

/** Returns the lines of the comments in a source text. */
function commentsOf(text: string): Comment[] {
  const comments: Comment[] = [];
  let isInside = false;
  let hasText = false;
  let isAfterLine = false;
  text.split("\n").forEach((source, index) => {
    const block = /^\s*\/\*\*? ?(.*)$/.exec(source);
    const line = /^(?:|.*?[\s;{(,])\/\/ (.*)$/.exec(source);
    const inner = isInside ? /^\s*\* ?(.*)$/.exec(source) : null;
    const words = (block ?? inner ?? line)?.[1]?.replace(/\s*\*\/\s*$/, "");
    if (block !== null) [isInside, hasText] = [!source.includes("*/"), false];
    else if (isInside && source.includes("*/")) isInside = false;
    const isFirst = line === null || block !== null ? !hasText : !isAfterLine;
    isAfterLine = line !== null && /^\s*\/\//.test(source);
    if (words) hasText = true;
    // Code in an example, a link and a list are no sentences.
    if (words === undefined || /^(?:```|@|https?:)/.test(words)) return;
    comments.push({
      line: index + 1,
      isFirst,
      words: words.replaceAll(/`[^`]*`|https?:\S+|\{@[^}]*\}/g, "X"),
    });
  });
  return comments;
}

function sourceFiles(folder: string): string[] {
  return [...Deno.readDirSync(join(projectFolder, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? sourceFiles(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}
