import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import builder from "../../../../../src/browser/owner/builder/builder.html" with { type: "text" };
import {
  designOf,
  type Looks,
  MAX_COUNTERS,
  type Values,
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

const design = (values: Values, tile?: string) => designOf(values, LOOKS, tile);

Deno.test("a design has what differs from the defaults, and what a style has by default", () => {
  const values = { style: "pill", label: "views", color: "red", swatch: "", period: "month" };
  deepStrictEqual(design(values).looks, [
    ...[["style", "pill"], ["spark", "14"], ["theme", "auto"], ["period", "month"]],
  ]);
  strictEqual(design(values).alt, "views");
  const own = { ...values, swatch: "other", spark: "off", label: " reads " };
  deepStrictEqual(design(own).looks, [
    ...[["style", "pill"], ["label", "reads"], ["theme", "auto"], ["color", "red"]],
    ["period", "month"],
  ]);
  strictEqual(design(own).alt, "reads");
});

Deno.test("a design leaves out what the style of a tile or a badge that counts does not have", () => {
  const values = { style: "pill", spark: "7", period: "month", do: "count" };
  deepStrictEqual(design(values, "plastic").looks, [["style", "plastic"]]);
  deepStrictEqual([...design(values).known.keys()], ["style", "label", "spark", "theme", "color"]);
});

Deno.test("a chart compares counters, each once, and none of them has bars, a visitor or a key", () => {
  const values = { do: "count", id: "a/b", others: " c \n\na/b", once: "day", group: "on" };
  const chart = design({ ...values, picture: "chart.svg", kind: "bars" });
  deepStrictEqual(chart.ids, ["a/b", "c"]);
  deepStrictEqual(chart.looks, [["spark", "14"], ["theme", "auto"], ["kind", "total"]]);
  deepStrictEqual([chart.once, chart.usesGroupKey], [[], false]);
  const badge = design(values);
  deepStrictEqual([badge.ids, badge.once], [["a/b"], [["once", "day"]]]);
  ok(badge.usesGroupKey && !design({ ...values, id: "c" }).usesGroupKey);
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
