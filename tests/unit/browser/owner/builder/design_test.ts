import { deepStrictEqual, strictEqual } from "node:assert/strict";
import builder from "../../../../../src/browser/owner/builder/builder.html" with { type: "text" };
import {
  type DesignState,
  hasNoEffect,
  type Looks,
  MAX_COUNTERS,
  newDesign,
  resultOf,
  valueWords,
} from "../../../../../src/browser/owner/builder/design.ts";
import { MAX_DRAWN } from "../../../../../src/http/endpoint.ts";

const LOOKS: Looks = {
  controls: {
    style: { default: "classic", enum: ["pill", "plastic", "classic"] },
    label: { default: "views", in: [0, 1] },
    spark: { in: [0, 1], unseen: [1] },
    theme: { in: [0, 1] },
    color: { in: [0, 1] },
    period: { default: "total", counting: false },
    kind: { default: "bars", in: [1] },
  },
  defaults: {},
};

const result = (changes: Partial<DesignState>, isOwner = false, tile?: string) =>
  resultOf({ ...newDesign(), ...changes }, LOOKS, isOwner, tile);

Deno.test("a result has what differs from the defaults, and what a style has by default", () => {
  const values = { style: "pill", label: "views", color: "red", swatch: "", period: "month" };
  deepStrictEqual(result({ values }).looks, [
    ...[["style", "pill"], ["spark", "14"], ["theme", "auto"], ["period", "month"]],
  ]);
  strictEqual(result({ values }).alt, "views");
  const own = { ...values, swatch: "other", spark: "off", label: " reads " };
  deepStrictEqual(result({ values: own }).looks, [
    ...[["style", "pill"], ["label", "reads"], ["theme", "auto"], ["color", "red"]],
    ["period", "month"],
  ]);
  strictEqual(result({ values: own }).alt, "reads");
});

Deno.test("a result leaves out what the style of a tile or a badge that counts does not have", () => {
  const values = { style: "pill", spark: "7", period: "month" };
  deepStrictEqual(result({ values }, true, "plastic").looks, [["style", "plastic"]]);
  strictEqual(hasNoEffect("spark", false, "plastic", LOOKS), true);
  strictEqual(hasNoEffect("period", true, "pill", LOOKS), true);
  strictEqual(hasNoEffect("spark", true, "pill", LOOKS), false);
});

Deno.test("the address of a result names it, and nothing that goes without saying", () => {
  const values = { once: "day", kind: "area" };
  const ids = ["a/b", "c", "a/b"];
  deepStrictEqual(result({}).address, []);
  deepStrictEqual(result({ kind: "chart.svg", counts: true, ids, values }).address, [
    ...[["picture", "chart.svg"], ["id", "a/b"], ["id", "c"], ["spark", "14"], ["theme", "auto"]],
    ["kind", "area"],
  ]);
  deepStrictEqual(result({ ids, values: { ...values, group: "on" } }, true).address, [
    ...[["id", "a/b"], ["once", "day"], ["group", "on"]],
  ]);
  deepStrictEqual(result({ ids: ["c"], counts: true, values: { group: "on" } }).address, [
    ...[["id", "c"], ["do", "count"]],
  ]);
});

Deno.test("valueWords() reads as words", () => {
  deepStrictEqual(
    [["range", "12w"], ["spark", "14"], ["theme", ""], ["x", "for-the-badge"]].map(
      ([name = "", value = ""]) => valueWords(name, value),
    ),
    ["Last 12 weeks", "Last 14 days", "Automatic", "For the badge"],
  );
});

Deno.test("the builder offers as many counters of a chart as the service draws", () => {
  strictEqual(MAX_COUNTERS, MAX_DRAWN);
  strictEqual(/Up to (\d+) more counters/.exec(builder)?.[1], String(MAX_DRAWN - 1));
});
