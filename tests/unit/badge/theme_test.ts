import { deepStrictEqual, fail, ok } from "node:assert/strict";
import { drawBadge, drawError, parseLook } from "../../../src/badge/drawings.ts";
import { type Color, contrast, parseColor } from "../../../src/drawing/color.ts";
import { parseSvg, seen, texts } from "../../support/parse_svg.ts";

const SHIELDS_STYLES = ["classic", "flat-square", "plastic", "for-the-badge"];
const AA = 4.5;

for (const style of SHIELDS_STYLES) {
  for (const theme of ["light", "dark", "auto"]) {
    Deno.test(`drawBadge() of ${style} reads at WCAG AA in theme=${theme}`, () => {
      for (const render of [drawBadge, drawError]) {
        for (const dark of [false, true]) {
          const svg = render(
            parseLook(new Map<string, string>([["style", style], ["theme", theme]])),
            "42",
          );
          const [labelBox, valueBox, label, value] = paints(svg, dark);
          ok(contrast(color(labelBox), color(label)) >= AA, `${labelBox} ${label}`);
          ok(contrast(color(valueBox), color(value)) >= AA, `${valueBox} ${value}`);
        }
      }
    });
  }
}

for (const theme of ["none", "light", "dark", "auto"]) {
  Deno.test(`drawBadge() of terminal reads at WCAG AA on any background in theme=${theme}`, () => {
    for (const bg of ["", "white", "black", "#777", "#808080", "red", "gold", "navy", "#00f"]) {
      for (const render of [drawBadge, drawError]) {
        for (const dark of [false, true]) {
          const query = new Map<string, string>([["style", "terminal"], ["theme", theme], [
            "bg",
            bg,
          ]]);
          const [ground, label, value] = paints(render(parseLook(query), "42"), dark);
          ok(contrast(color(ground), color(label)) >= AA, `${bg}: ${ground} ${label}`);
          ok(contrast(color(ground), color(value)) >= AA, `${bg}: ${ground} ${value}`);
        }
      }
    }
  });
}

Deno.test("drawBadge() without a theme has no style element and follows no color scheme", () => {
  for (const style of [...SHIELDS_STYLES, "terminal"]) {
    for (const theme of ["", "light", "dark", "none", "sepia"]) {
      const svg = drawBadge(
        parseLook(new Map<string, string>([["style", style], ["theme", theme]])),
        "42",
      );
      ok(!svg.includes("<style"), `${style} ${theme}`);
    }
  }
});

Deno.test("drawBadge() in theme=auto is theme=light that turns into theme=dark", () => {
  for (const style of [...SHIELDS_STYLES, "terminal"]) {
    const [auto, light, dark] = ["auto", "light", "dark"].map((theme) =>
      drawBadge(parseLook(new Map<string, string>([["style", style], ["theme", theme]])), "42")
    );
    deepStrictEqual(paints(auto ?? "", false), paints(light ?? "", false), style);
    deepStrictEqual(paints(auto ?? "", true), paints(dark ?? "", false), style);
  }
});

Deno.test("drawBadge() keeps the colors that the caller chose in every theme", () => {
  const chosen = [["color", "#123456"], ["labelColor", "#fedcba"], ["bg", "#abcabc"]] as const;
  for (const style of [...SHIELDS_STYLES, "terminal"]) {
    for (const theme of ["light", "dark", "auto"]) {
      const query = new Map<string, string>([["style", style], ["theme", theme], ...chosen]);
      const plain = new Map<string, string>([["style", style], ...chosen]);
      for (const dark of [false, true]) {
        deepStrictEqual(
          paints(drawBadge(parseLook(query), "42"), dark),
          paints(drawBadge(parseLook(plain), "42"), dark),
        );
      }
    }
  }
});

/** Fills of boxes, then of texts, as a reader of light or dark pages sees them. */
function paints(svg: string, dark: boolean): string[] {
  const elements = parseSvg(svg);
  const boxes = elements.filter(({ name }) => name === "rect");
  return [...boxes, ...texts(elements)].flatMap((element) => {
    const fill = seen(elements, element, { isDark: dark });
    if (!fill?.startsWith("#") || element.attributes.has("opacity")) return [];
    return [fill];
  });
}

function color(text: string | undefined): Color {
  return parseColor(text) ?? fail(`${text} is not a color`);
}
