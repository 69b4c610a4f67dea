import { deepStrictEqual, match } from "node:assert/strict";
import { join } from "node:path";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { memoryApp } from "../../support/app.ts";
import { findOnPath } from "../../support/programs.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** The schema of RFC 4287, Appendix B, for the elements that a feed here has. */
const SCHEMA = String.raw`default namespace = "http://www.w3.org/2005/Atom"
start = element feed { common & element author { element name { text } }+ & entry* }
entry = element entry { common & element content { plain } }
common = element id { uri } & element title { plain } & element updated { date } & link*
link = element link { attribute href { uri }, attribute rel { "self" | "alternate" }? }
plain = attribute type { "text" }?, text
uri = xsd:anyURI { minLength = "1" }
date = xsd:dateTime { pattern = ".+T\d\d:\d\d:\d\d(Z|[+\-]\d\d:\d\d)" }
`;

Deno.test(
  "a feed is valid by the schema of RFC 4287, whatever the id and the time zone",
  { ignore: findOnPath(["jing"]) === undefined },
  async () => {
    await using folder = await tempDir();
    const errorsOf = async (...texts: string[]) => {
      const files = await Promise.all([SCHEMA, ...texts].map(async (text, index) => {
        const file = join(folder.path, `${index}`);
        await Deno.writeTextFile(file, text);
        return file;
      }));
      const { stdout } = await new Deno.Command("jing", { args: ["-c", ...files] }).output();
      return new TextDecoder().decode(stdout);
    };
    const calendar = createCalendar("Asia/Kathmandu");
    await using app = await memoryApp({ calendar });
    const id = encodeURIComponent(`blog/<a> & "b" 'c' ]]> 日本 👩‍💻`);
    const days = { "2026-01-05": 120, "2026-01-09": 7, "2026-01-20": 9000 };
    await app.sendBody(`PUT /counters?id=${id}`, JSON.stringify({ hits: 9130, days }));
    const queries = [`id=${id}&key=k`, "prefix=blog/", "id=new"];
    const feeds = await Promise.all(queries.map((query) => app.send(`GET /feed.atom?${query}`)));
    const bodies = feeds.map(({ body }) => body);
    deepStrictEqual(await errorsOf(...bodies), "");
    match(await errorsOf(bodies[1]?.replace("<updated>", "<updated>x") ?? ""), /updated/);
  },
);
