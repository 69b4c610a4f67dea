import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { projectFolder } from "../support/programs.ts";

const FOLDERS = ["src", "tests", ".docs", ".deploy", ".github", ".ci"];
const files = [...FOLDERS.flatMap(filesIn), "main.ts", "README.md", "deno.json"];

/** A path from the project's folder, to a file or a folder. */
const PATH = /(?<![\w./-])(?:src|tests|\.docs|\.deploy|\.github|\.ci)\/[\w.@/-]*\w\/?/g;
/** A file of code that is named without its folder, or with a part of it. */
const NAME = /`((?:\w[\w-]*\/)*[\w.-]+\.(?:ts|mjs|css|html))`/g;

/** Files that an operator creates, and files of the pages and projects of others. */
const OTHERS = [".deploy/.env", ".deploy/backups", "index.html", "astro.config.mjs"];
const ELSEWHERE = /^src\/components\//;

Deno.test("every path in the documentation and in a comment exists", async () => {
  const wrong: string[] = [];
  for (const file of files.filter((file) => /(?<!\.min)\.(?:md|ts|js|mjs)$/.test(file))) {
    const text = await Deno.readTextFile(join(projectFolder, file));
    // These name the files of the sites of others.
    if (file.startsWith(".docs/sites/")) continue;
    const isPage = file.endsWith(".md");
    const told = isPage ? text : commentsIn(text);
    for (const [path] of told.matchAll(PATH)) {
      const name = path.replace(/\/$/, "");
      const isThere = files.some((file) => file === name || file.startsWith(`${name}/`));
      if (!isThere && !OTHERS.includes(name) && !ELSEWHERE.test(name)) {
        wrong.push(`${file}: ${path}`);
      }
    }
    // The changelog also names what has gone.
    if (file === ".docs/CHANGELOG.md") continue;
    for (const [, name = ""] of told.matchAll(NAME)) {
      const isThere = files.some((file) => `/${file}`.endsWith(`/${name}`));
      if (!isThere && !OTHERS.includes(name)) wrong.push(`${file}: ${name}`);
    }
  }
  deepStrictEqual(wrong, []);
});

function commentsIn(text: string): string {
  return [...text.matchAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm)].join("\n");
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(join(projectFolder, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}
