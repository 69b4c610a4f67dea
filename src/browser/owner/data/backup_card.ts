import { save } from "../../lib/browser.ts";
import { fill, make, orExplain } from "../../lib/make.ts";
import type { Page } from "../data_loader.ts";
import { csvLines } from "./csv.ts";

/** The last line of an export. Without it, the export was cut off. */
const END = /\{"counters":\d+[^\n]*\}\n?$/;

/** Creates the card that exports all counters. */
export function backupCard({ call, callForJson }: Page) {
  const status = make("p.small", { role: "status" });
  const secret = make("span", make("code", "data/secret"), ", or of your SECRET_TOKEN,");
  callForJson("status").then(
    ({ secret: place }) => place && fill(secret, make("code", place)),
    // Both places are named already.
    () => {},
  );

  /** Saves all counters as a file. */
  function exportAs(name: string, convert: (lines: string) => string) {
    fill(status, "Exporting…");
    return orExplain(status, async () => {
      const lines = await (await call("counters")).text();
      if (!END.test(lines)) throw new Error("The list was cut off: export again.");
      save(new Blob([convert(lines)]), name);
      fill(status);
    });
  }

  const saveLines = () => exportAs("counters.ndjson", (lines) => lines);
  const saveCsv = () => exportAs("counters.csv", csvOf);
  const buttons = make(
    ".line",
    make("button.primary", { click: saveLines }, "Export as lines"),
    make("button", { click: saveCsv }, "Export as CSV"),
  );
  const ways = "Lines are the backup, and Import reads them. CSV is for spreadsheets.";
  const what = make("b", "The secret is not part of the export.");
  const why = " Your keys are made from it, so with another secret your badges and pages stop " +
    "counting. Keep a copy of ";
  const note = make("p.note", make("span", what, why, secret, " next to the backup."));
  return make(
    "section.panel.card",
    make("h2", "Back up"),
    make(".ways", make("", make("p.small", ways), buttons, status), note),
  );
}

/** Converts an export of lines to CSV. Begins with a mark, so that Excel reads it as UTF-8. */
function csvOf(lines: string): string {
  const counters = lines.trim().split("\n").slice(0, -1).map((line) => JSON.parse(line));
  return ["\ufeffid,day,hits\n", ...counters.map(csvLines)].join("");
}
