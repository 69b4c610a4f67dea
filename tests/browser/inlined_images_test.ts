import { strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { badgeBars } from "../../src/badge/bars.ts";
import { drawBadge, parseLook } from "../../src/badge/drawings.ts";
import { STYLES } from "../../src/badge/styles.ts";
import * as pictures from "../../src/chart/pictures.ts";
import { needsChromium, shareChromium, sharedChromium } from "../support/chromium.ts";
import { FIGURES } from "../unit/chart/gallery.ts";

shareChromium();

const figures = { ...FIGURES, id: "ada/engine" };

/**
 * Every style in several looks, then pictures. Texts of 4, 8 or 12 letters give for-the-badge whole
 * pixels, because <img> stretches a fraction.
 */
const IMAGES = [
  ...[...STYLES.keys()].flatMap((style) => [
    badge({ style, theme: "auto", label: "read by many" }),
    badge({ style, theme: "auto", label: "seen", goal: "20000" }, { share: 0.6 }),
    badge({ style, theme: "dark", label: "" }),
    badge({ style, theme: "auto", label: "seen", color: "orange" }, {
      bars: badgeBars(FIGURES.days, 14),
    }),
  ]),
  ...[{ kind: "bars" }, { kind: "area" }, { kind: "total", width: "300" }, { color: "purple" }]
    .map((query) =>
      pictures.chart.draw(figures, new Map(Object.entries({ theme: "auto", ...query })))
    ),
  ...["auto", "dark"].flatMap((theme) => [
    pictures.calendar.draw(figures, new Map([["theme", theme]])),
    pictures.card.draw(figures, new Map([["theme", theme]])),
  ]),
];

function badge(query: Record<string, string>, more: Parameters<typeof drawBadge>[2] = {}): string {
  return drawBadge(parseLook(new Map(Object.entries(query))), "1234", more);
}

Deno.test(
  "images that live in one page look as they do alone, on a light page and on a dark one",
  needsChromium,
  async () => {
    const page = await sharedChromium().newPage({ viewport: SIZE });
    await using _ = { [Symbol.asyncDispose]: () => page.close() };
    /** Returns what images look like on a light and on a dark page. */
    const show = async (images: readonly string[]) => {
      await page.setContent(
        `<!doctype html><style>${PAGE}</style>` +
          images.map((image) => `<div>${image}</div>`).join(""),
      );
      const shoot = async (colorScheme: "light" | "dark") => {
        await page.emulateMedia({ colorScheme });
        return await page.screenshot({ fullPage: true });
      };
      return { light: await shoot("light"), dark: await shoot("dark") };
    };
    const inlined = await show(IMAGES);
    const alone = await show(
      IMAGES.map((svg) =>
        `<img src="data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}">`
      ),
    );
    strictEqual(pixelsOff(inlined.light, alone.light), 0);
    strictEqual(pixelsOff(inlined.dark, alone.dark), 0);
  },
);

/** Returns the number of pixels that differ visibly, in images of one size. */
function pixelsOff(one: Buffer, other: Buffer): number {
  if (one.equals(other)) return 0;
  const { data, width, height } = PNG.sync.read(one);
  return pixelmatch(data, PNG.sync.read(other).data, undefined, width, height, { threshold: 0.02 });
}

const SIZE = { width: 760, height: 800 };
/** Each image begins on a whole pixel. */
const PAGE = ":root{color-scheme:light dark}div{float:left;clear:left;margin:3px}" +
  "img,svg{display:block}";
