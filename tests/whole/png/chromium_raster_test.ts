import { deepStrictEqual, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { PNG } from "pngjs";
import { errorBadge, renderBadge } from "../../../src/badge/badge.ts";
import { parseLook, STYLES } from "../../../src/badge/look.ts";
import { badgeBars } from "../../../src/badge/spark.ts";
import * as pictures from "../../../src/chart/pictures.ts";
import { createPainter } from "../../../src/png/painter.ts";
import { parts } from "../../../src/png/tallymark-png.js";
import { Problem } from "../../../src/problem.ts";
import { FIGURES, GALLERY } from "../../chart/gallery.ts";
import { needsChromium, shareChromium, sharedChromium } from "../../support/chromium.ts";

/** Text that the fonts lack, which is drawn in another way on purpose. */
const UNSUPPORTED = /japanese/;
const CHANNEL_LIMIT = 32;

/**
 * Returns the share of pixels that may differ. Chromium places small letters at quarters of a
 * pixel.
 */
function maxShare(name: string, scale: number): number {
  if (name.startsWith("for-the-badge")) return scale === 1 ? 0.06 : 0.025;
  return scale === 1 ? 0.022 : 0.01;
}

const problem = new Problem("store-unavailable");
const noQuery = new Map<string, string>();
const figures = { ...FIGURES, id: "ada/engine" };

/** Every style, image and error. */
const IMAGES: ReadonlyMap<string, string> = new Map([
  ...[...STYLES.keys()].flatMap((style): [string, string][] => {
    const query = new Map([["style", style], ["logo", "eye"], ["label", "Visits & é"]]);
    const look = parseLook(query);
    const bars = look.style.bars ? { bars: badgeBars(FIGURES.days, 14) } : {};
    return [
      [style, renderBadge(look, "12,345", bars)],
      [`${style} in dark`, renderBadge(parseLook(new Map([...query, ["theme", "dark"]])), "1")],
    ];
  }),
  ...[...GALLERY].filter(([file]) => !UNSUPPORTED.test(file))
    .map(([file, text]): [string, string] => [file, text.slice(text.indexOf("<svg"))]),
  ["preview", pictures.preview.draw(figures, noQuery)],
  ["error of a badge", errorBadge(problem)],
  ...Object.entries(pictures).flatMap(([name, picture]): [string, string][] =>
    typeof picture === "function"
      ? []
      : [[`error of a ${name}`, picture.drawProblem(problem, noQuery)]]
  ),
]);

const paint = await createPainter(parts);
shareChromium({ args: ["--font-render-hinting=none"] });

for (const scale of [1, 2, 3]) {
  Deno.test({
    name: `PNGs at scale ${scale} look like the SVG images in Chromium with the same fonts`,
    ...needsChromium,
    async fn() {
      await using context = await sharedChromium().newContext({ deviceScaleFactor: scale });
      const page = await context.newPage();
      await page.setContent(`<style>${fontFaces()} body{margin:0} svg{display:block}</style><p>`);
      const differences: [string, number][] = [];
      for (const [name, svg] of IMAGES) {
        await page.evaluate(`document.body.innerHTML = ${JSON.stringify(svg)}`);
        await page.evaluate("document.fonts.ready");
        const expected = PNG.sync.read(
          await page.locator("svg").screenshot({ omitBackground: true }),
        );
        // Larger images get fewer pixels.
        if (expected.width * expected.height > 2_400_000) continue;
        const actual = PNG.sync.read(Buffer.from(await paint({ svg, scale })));
        // Chromium widens an image to whole pixels of the page.
        ok(
          Math.abs(actual.width - expected.width) < scale && actual.height === expected.height,
          name,
        );
        differences.push([name, shareOfDifferences(actual, expected)]);
      }
      const tooMany = differences.filter(([name, share]) => share > maxShare(name, scale));
      deepStrictEqual(tooMany, []);
    },
  });
}

/** Returns the share of pixels that differ by more than the limit in a channel, on white. */
function shareOfDifferences(one: PNG, other: PNG): number {
  const width = Math.min(one.width, other.width);
  let count = 0;
  for (let y = 0; y < one.height; y++) {
    for (let x = 0; x < width; x++) {
      const [a, b] = [onWhite(one, x, y), onWhite(other, x, y)];
      if (a.some((value, channel) => Math.abs(value - (b[channel] ?? 0)) > CHANNEL_LIMIT)) count++;
    }
  }
  return count / (width * one.height);
}

function onWhite({ data, width }: PNG, x: number, y: number): number[] {
  const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(4 * (y * width + x));
  return [red, green, blue].map((value) => 255 + (value - 255) * alpha / 255);
}

/** The fonts of the renderer, under the names that the images ask for first. */
function fontFaces(): string {
  const [sans, bold, mono, monoBold] = parts.fonts;
  const faces = [
    ...["Verdana", "Helvetica Neue"].flatMap((name) => [[name, sans, 400], [name, bold, 700]]),
    ...[["SFMono-Regular", mono, 400], ["SFMono-Regular", monoBold, 700]],
  ] as const;
  return faces.map(([name, font, weight]) =>
    `@font-face{font-family:"${name}";font-weight:${weight};src:url(data:font/ttf;base64,${
      (font as Uint8Array).toBase64()
    })}`
  ).join("");
}
