import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  addressOf,
  chosen,
  type DesignState,
  type Looks,
  newDesign,
  offIn,
  valueWords,
} from "../../../../../src/browser/owner/builder/design.ts";

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

const design = (changes: Partial<DesignState>): DesignState => ({ ...newDesign(), ...changes });

Deno.test("chosen() has what differs from the defaults, and what a style has by default", () => {
  const values = { style: "pill", label: "views", color: "red", swatch: "", period: "month" };
  deepStrictEqual(chosen(design({ values }), LOOKS), [
    ...[["style", "pill"], ["spark", "14"], ["theme", "auto"], ["period", "month"]],
  ]);
  const own = { ...values, swatch: "other", spark: "off", label: " reads " };
  deepStrictEqual(chosen(design({ values: own }), LOOKS), [
    ...[["style", "pill"], ["label", "reads"], ["theme", "auto"], ["color", "red"]],
    ["period", "month"],
  ]);
});

Deno.test("chosen() leaves out what the style of a tile or a badge that counts does not have", () => {
  const values = { style: "pill", spark: "7", period: "month" };
  deepStrictEqual(chosen(design({ values, isCounting: true }), LOOKS, "plastic"), [[
    "style",
    "plastic",
  ]]);
  strictEqual(offIn("spark", design({ values: { style: "plastic" } }), LOOKS), "this style");
  strictEqual(offIn("period", design({ isCounting: true }), LOOKS), "a badge that counts");
});

Deno.test("addressOf() names a design, and nothing that goes without saying", () => {
  deepStrictEqual(addressOf(design({}), "", []), []);
  deepStrictEqual(
    addressOf(design({ kind: "chart.svg", counts: true, isOnce: true }), "a/b", [["kind", "area"]]),
    [["picture", "chart.svg"], ["id", "a/b"], ["kind", "area"]],
  );
  deepStrictEqual(
    addressOf(design({ counts: true, isCounting: true, isOnce: true, usesGroupKey: true }), "", []),
    [["do", "count"], ["once", "day"], ["group", "on"]],
  );
});

Deno.test("valueWords() reads as words", () => {
  deepStrictEqual(
    [["range", "12w"], ["spark", "14"], ["theme", ""], ["x", "for-the-badge"]].map(
      ([name = "", value = ""]) => valueWords(name, value),
    ),
    ["Last 12 weeks", "Last 14 days", "Automatic", "For the badge"],
  );
});
