import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { encodePng } from "./encode.ts";

/** The rasterizer and its fonts. The first font has the most characters. */
export interface RasterizerParts {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly fonts: readonly [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]];
}

/** An SVG document of this service, and the number of pixels of the PNG for each of its pixels. */
export interface RasterJob {
  readonly svg: string;
  readonly scale: number;
}

/** Rasterizes an SVG document as a PNG. */
export type Rasterize = (job: RasterJob) => Promise<Uint8Array<ArrayBuffer>>;

/** Maximum size of a PNG, in pixels. A larger one would take the service above 220 MB of memory. */
const MAX_WIDTH = 2880;
const MAX_HEIGHT = 1200;
const MAX_PIXELS = 2_400_000;

/** Loads the rasterizer. May be called once in a process or worker. */
export async function createRasterizer({ wasm, fonts }: RasterizerParts): Promise<Rasterize> {
  await initWasm(wasm);
  const hasGlyph = createGlyphCheck(fonts[0]);
  const font = {
    fontBuffers: [...fonts],
    ...{ defaultFontFamily: "DejaVu Sans", sansSerifFamily: "DejaVu Sans" },
    ...{ serifFamily: "DejaVu Sans", monospaceFamily: "DejaVu Sans Mono" },
  };
  return async ({ svg, scale }) => {
    const [width = 0, height = 0] = SIZE.exec(svg)?.slice(1).map(Number) ?? [];
    const fitting = Math.min(MAX_WIDTH / width, MAX_HEIGHT / height);
    const zoom = Math.min(scale, fitting, Math.sqrt(MAX_PIXELS / (width * height)));
    // resvg would stretch a drawing to whole pixels.
    const wholePixels = Math.min(MAX_WIDTH, Math.ceil(width * zoom));
    const whole = Math.floor(1000 * wholePixels / zoom) / 1000;
    const shown = svg.includes(" viewBox=")
      ? leaveOutMissing(svg, hasGlyph)
      : replaceMissing(svg, hasGlyph);
    const fitted = placeTexts(
      clipLayers(shown.replace(`width="${width}"`, `width="${whole}"`), zoom),
      zoom,
    );
    const drawing = new Resvg(fitted, {
      font,
      fitTo: { mode: "zoom", value: zoom },
    });
    const image = drawing.render();
    // The pixels are a copy, so the memory in WASM is free before they are encoded.
    const { width: columns, height: rows, pixels } = image;
    image.free();
    drawing.free();
    const png = await encodePng({ width: columns, height: rows, pixels });
    // Frees up to 14 MB now, not at a later garbage collection.
    if (pixels.buffer instanceof ArrayBuffer) pixels.buffer.transfer(0);
    return png;
  };
}

/** The size of an SVG document. */
const SIZE = /^<svg [^>]*?width="([\d.]+)" height="([\d.]+)"/;

/**
 * Clips each layer of a badge on its own, as browsers do. This shows at its round corners, to which
 * Chromium gives 0.4 pixels less of a radius.
 */
function clipLayers(svg: string, zoom: number): string {
  return svg.replace(CLIPPED, (_, before, radius, between, clip, layers) => {
    const clipped = layers.replaceAll(/<(?:rect|path)/g, `$&${clip}`);
    return `${before}${radius - 0.4 / zoom}${between}${clipped}`;
  });
}

const CLIPPED =
  /(<clipPath id="r"><rect [^>]* rx=")([\d.]+)("\/><\/clipPath>)<g( clip-path="url\(#r\)")>(.*?)<\/g>/;

/**
 * Places texts as browsers do. resvg adds the space after the last character to the length
 * of a fitted text, so it gets the start instead of the middle. A single character is not fitted.
 * Baselines are on whole pixels, and the digits of badges on quarters. Small light text is drawn
 * bolder.
 */
function placeTexts(svg: string, zoom: number): string {
  const step = svg.includes(`transform="scale(.1)"`) ? zoom / 10 : zoom;
  const placed = svg.replace(TEXT, (_, x, y, before, length, after, text) => {
    const bolder = zoom <= 1 && LIGHT.test(after) ? ` filter="url(#bolder)"` : "";
    const place = `y="${Math.round(y * step) / step}"${before}${after}${bolder}`;
    if ([...text].length === 1) return `<text x="${x}" ${place}>${text}`;
    const start = x - length / 2;
    const left = svg.includes(`font-size="110"`) && NUMBER.test(text)
      ? digitStarts(text, length).map((x) => Math.round(4 * (start + x) * step) / (4 * step))
      : [start];
    const fit = left.length === 1 ? ` textLength="${length}"` : "";
    return `<text style="text-anchor:start" x="${left.join(" ")}"${fit} ${place}>${text}`;
  });
  return placed.replace("</svg>", `${BOLDER}</svg>`);
}

const NUMBER = /^[\d,.]+$/;
/** Width of a separator of DejaVu Sans at font size 110. A digit is twice as wide. */
const SEPARATOR_WIDTH = 110 * 651 / 2048;

/** Returns where the characters of a number begin that is spaced to a length. */
function digitStarts(number: string, length: number): number[] {
  const widthOf = (text: string) => SEPARATOR_WIDTH * (text + text.replace(/\D/g, "")).length;
  const gap = (length - widthOf(number)) / (number.length - 1);
  return Array.from(number, (_, at) => widthOf(number.slice(0, at)) + gap * at);
}

const TEXT = /<text x="([\d.]+)" y="([\d.]+)"([^>]*) textLength="([\d.]+)"([^>]*)>([^<]*)/g;
/** The fill of a text whose channels are at least 75 %. */
const LIGHT = / fill="#(?:[c-f]{3}|(?:[c-f].){3})"/;
/** Raises the alpha of edges as Chromium does for white text, from 50 % to 54 %. */
const BOLDER = `<filter id="bolder" color-interpolation-filters="sRGB"><feComponentTransfer>` +
  `<feFuncA type="gamma" exponent=".88"/></feComponentTransfer></filter>`;

/** An emoji of one or more code points, or a character beyond ASCII. */
const CHARACTER = /\p{RGI_Emoji}|[^\0-\x7f]/gv;
/** Characters that are drawn together with the one before them. */
const ATTACHED = /^[\p{M}\p{Cf}]/u;

/**
 * Leaves out the texts of a picture with a character that no font has. The label of a card takes
 * the place of such a name.
 */
function leaveOutMissing(svg: string, hasGlyph: (codePoint: number) => boolean): string {
  const known = (text: string) => {
    const shown = replaceMissing(text, hasGlyph);
    return shown.split("?").length > text.split("?").length ? "" : shown;
  };
  const [name = "", x, y, length, more] = NAME.exec(svg) ?? [];
  const [label = "", words] = LABEL.exec(svg) ?? [];
  const left = Number(x) - Number(length) / 2;
  const named = known(name) !== "" || label === "" ? svg : svg.replace(label, "").replace(
    name,
    () => `<text style="text-anchor:start" x="${left}" y="${y}"${more}>${words}</text>`,
  );
  return named.replace(ELEMENT, known);
}

const NAME = /<text x="([\d.]+)" y="(\d+)" textLength="([\d.]+)"([^>]*) id="n">[^<]*<\/text>/;
const LABEL = /<text [^>]* id="l">([^<]*)<\/text>/;
const ELEMENT = /<text [^>]*>[^<]*<\/text>/g;

/** Replaces the characters that no font has with question marks. */
function replaceMissing(svg: string, hasGlyph: (codePoint: number) => boolean): string {
  return svg.replace(CHARACTER, (text) => {
    const codePoint = text.codePointAt(0) ?? 0;
    if (hasGlyph(codePoint)) return String.fromCodePoint(codePoint);
    return ATTACHED.test(text) ? "" : "?";
  });
}

/** Returns a function that reports whether a font has a character (OpenType, `cmap` format 12). */
function createGlyphCheck(font: Uint8Array<ArrayBuffer>): (codePoint: number) => boolean {
  const view = new DataView(font.buffer, font.byteOffset);
  const items = (at: number, count: number, size: number) =>
    Array.from({ length: count }, (_, index) => at + size * index);
  const cmap = items(12, view.getUint16(4), 16).find((at) => view.getUint32(at) === 0x636d6170);
  const table = view.getUint32((cmap ?? 0) + 8);
  const groups = items(table + 4, view.getUint16(table + 2), 8)
    .map((at) => table + view.getUint32(at + 4))
    .filter((at) => view.getUint16(at) === 12)
    .flatMap((at) => items(at + 16, view.getUint32(at + 12), 12))
    .map((at) => [view.getUint32(at), view.getUint32(at + 4)] as const);
  return (codePoint) => groups.some(([first, last]) => first <= codePoint && codePoint <= last);
}
