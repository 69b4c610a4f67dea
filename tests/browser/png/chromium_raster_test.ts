import { deepStrictEqual, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { PNG } from "pngjs";
import { drawBadge, errorBadge, parseLook } from "../../../src/badge/drawings.ts";
import { STYLES } from "../../../src/badge/styles.ts";
import { badgeBars } from "../../../src/badge/bars.ts";
import * as pictures from "../../../src/chart/pictures.ts";
import { createRasterizer } from "../../../src/png/rasterizer.ts";
import { parts } from "../../../src/png/tallymark-png.js";
import { Problem } from "../../../src/problem.ts";
import { FIGURES, GALLERY } from "../../unit/chart/gallery.ts";
import { fullNumbers } from "../../support/time_limit.ts";
import { needsChromium, shareChromium, sharedChromium } from "../../support/chromium.ts";

/** Text that the fonts lack, which is drawn in another way on purpose. */
const UNSUPPORTED = /japanese/;
const CHANNEL_LIMIT = 32;

/**
 * The share of pixels that may differ. At scale 1, shadows and baselines between two pixels differ
 * more. The baseline of for-the-badge is between two at scale 3, too. Chromium moves it down.
 */
const maxShare = (name: string, scale: number) =>
  name.startsWith("for-the-badge") ? (scale === 1 ? 0.05 : 0.025) : (scale === 1 ? 0.017 : 0.01);

const problem = new Problem("store-unavailable");
const noQuery = new Map<string, string>();
const figures = { ...FIGURES, id: "ada/engine" };

/** Every style, image and error. */
const IMAGES: ReadonlyMap<string, string> = new Map([
  ...[...STYLES.keys()].flatMap((style): [string, string][] => {
    const query = new Map([["style", style], ["logo", "eye"], ["label", "Visits & é"]]);
    const look = parseLook(query);
    const bars = { bars: badgeBars(FIGURES.days, 14) };
    return [
      [style, drawBadge(look, "12,345", bars)],
      [`${style} in dark`, drawBadge(parseLook(new Map([...query, ["theme", "dark"]])), "1")],
    ];
  }),
  ...[...GALLERY].filter(([file]) => file.startsWith("charts/") && !UNSUPPORTED.test(file))
    .map(([file, text]): [string, string] => [file, text.slice(text.indexOf("<svg"))]),
  ["preview", pictures.preview.draw(figures, noQuery)],
  ["error of a badge", errorBadge(problem)],
  ...Object.entries(pictures).flatMap(([name, picture]): [string, string][] =>
    typeof picture === "function"
      ? []
      : [[`error of a ${name}`, picture.drawProblem(problem, noQuery)]]
  ),
]);

const rasterize = await createRasterizer(parts);
const UNHINTED = { args: ["--font-render-hinting=none"] };
shareChromium(UNHINTED);

/** By scale. By default, a part of the images at the scales where most of the time goes. */
const STEPS = fullNumbers ? { 1: 1, 2: 1, 3: 1 } : { 1: 1, 2: 8, 3: 16 };

Deno.test(
  "PNGs at scales 1, 2 and 3 look like the SVG images in Chromium with the same fonts",
  needsChromium,
  async () => {
    await using page = await openSheet();
    const tooMany: [string, number][] = [];
    for (const scale of [1, 2, 3] as const) {
      const images = [...IMAGES].filter((_, number) => number % STEPS[scale] === 0);
      for await (const [name, svg, expected] of page.draw(images, scale)) {
        // Larger images get fewer pixels.
        if (expected.width * expected.height > 2_400_000) continue;
        const actual = PNG.sync.read(Buffer.from(await rasterize({ svg, scale })));
        // Chromium widens an image to whole pixels of the page.
        ok(
          Math.abs(actual.width - expected.width) < scale && actual.height === expected.height,
          name,
        );
        const share = shareOfDifferences(actual, expected);
        if (share > maxShare(name, scale)) tooMany.push([`${name} at scale ${scale}`, share]);
      }
    }
    deepStrictEqual(tooMany, []);
  },
);

/** Opens a page that draws images on sheets. It has one scale at a time. */
async function openSheet() {
  const context = await sharedChromium(UNHINTED).newContext({ viewport: SHEET });
  const page = await context.newPage();
  await page.setContent(`<style>${fontFaces()} ${SHEET_STYLE}</style><p>`);
  const session = await context.newCDPSession(page);
  const color = { r: 0, g: 0, b: 0, a: 0 };
  await session.send("Emulation.setDefaultBackgroundColorOverride", { color });
  return {
    /** Yields images by name, each with what Chromium draws of it at a scale. */
    async *draw(
      images: readonly (readonly [name: string, svg: string])[],
      scale: number,
    ): AsyncGenerator<[name: string, svg: string, drawn: PNG]> {
      const metrics = { ...SHEET, deviceScaleFactor: scale, mobile: false };
      await session.send("Emulation.setDeviceMetricsOverride", metrics);
      for (let done = 0; done < images.length;) {
        const svgs = JSON.stringify(images.slice(done).map(([, svg]) => svg));
        const boxes: Box[] = await page.evaluate(`(${fillSheet})(${svgs})`);
        ok(boxes.length > 0, `${images[done]?.[0]} fits a sheet`);
        const width = Math.max(...boxes.map((box) => box.x + box.width));
        const height = Math.max(...boxes.map((box) => box.y + box.height));
        const clip = { x: 0, y: 0, width, height, scale: 1 };
        const { data } = await session.send("Page.captureScreenshot", { clip });
        const sheet = PNG.sync.read(Buffer.from(data, "base64"));
        for (const box of boxes) {
          const [name, svg] = images[done++] ?? ["", ""];
          yield [name, svg, cut(sheet, box, scale)];
        }
      }
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** A place on a sheet, in whole pixels of the page. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Size of a sheet of images. One screenshot of it takes a tenth of the time of one of each. */
const SHEET = { width: 1000, height: 1500 };
const SHEET_STYLE =
  "body{margin:0;display:flex;flex-wrap:wrap;align-items:flex-start;align-content:flex-start}svg{display:block}";

/** Puts as many of the first images on the page as fit, and returns their places. */
const fillSheet = `async (svgs) => {
  document.body.replaceChildren();
  const hosts = [];
  for (const svg of svgs) {
    const host = document.createElement("div");
    host.innerHTML = svg;
    document.body.append(host);
    const { width, height } = host.getBoundingClientRect();
    host.style.cssText = "flex:none;width:" + Math.ceil(width) + "px;height:" +
      Math.ceil(height) + "px";
    if (host.getBoundingClientRect().bottom > innerHeight) {
      host.remove();
      break;
    }
    hosts.push(host);
  }
  await document.fonts.ready;
  return hosts.map((host) => host.getBoundingClientRect().toJSON());
}`;

/** Returns a box of a sheet. */
function cut(sheet: PNG, { x, y, width, height }: Box, scale: number): PNG {
  const result = new PNG({ width: width * scale, height: height * scale });
  PNG.bitblt(sheet, result, x * scale, y * scale, result.width, result.height, 0, 0);
  return result;
}

/** Returns the share of pixels that differ by more than the limit in a channel, on white. */
function shareOfDifferences(one: PNG, other: PNG): number {
  const width = Math.min(one.width, other.width);
  let count = 0;
  for (let y = 0; y < one.height; y++) {
    for (let x = 0; x < width; x++) {
      const [at, otherAt] = [4 * (y * one.width + x), 4 * (y * other.width + x)];
      const isFar = (channel: number) =>
        Math.abs(onWhite(one, at, channel) - onWhite(other, otherAt, channel)) > CHANNEL_LIMIT;
      if (isFar(0) || isFar(1) || isFar(2)) count++;
    }
  }
  return count / (width * one.height);
}

/** Returns a channel of the pixel that begins at this byte, on white. */
function onWhite({ data }: PNG, at: number, channel: number): number {
  return 255 + ((data[at + channel] ?? 0) - 255) * (data[at + 3] ?? 0) / 255;
}

/** The fonts of the pngQueue, under the names that the images ask for first. */
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
