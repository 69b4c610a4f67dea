import { match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { createDrawings } from "../../../src/badge/drawings.ts";
import { type Color, contrast, CSS_COLORS } from "../../../src/drawing/color.ts";
import { STYLES } from "../../../src/badge/styles.ts";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { drawCard } from "../../../src/chart/draw_card.ts";
import { parsePictureLook } from "../../../src/chart/look.ts";
import { TODAY } from "../chart/gallery.ts";
import { memoryApp } from "../../support/app.ts";
import { type Element, parseSvg, seen, texts } from "../../support/parse_svg.ts";
import { authorized } from "../../support/secret.ts";
import { times } from "../../support/times.ts";

const BOXED = ["classic", "flat-square", "plastic", "for-the-badge"];
const FILLED = [...BOXED, "pill", "social"];
const AA = 4.5;

for (const style of STYLES.keys()) {
  Deno.test(`a badge in ${style} reads the count and its goal`, () => {
    const svg = draw(`style=${style}&numbers=grouped&goal=1000`, 640);
    const digits = ["odometer", "flap", "led", "pixel"].includes(style);
    match(svg, digits ? /<title>views: 640 \/ 1000</ : /<title>views: 640 \/ 1,000</);
    match(draw(`style=${style}&goal=1000&numbers=compact`, 12_340), /12\.3K \/ 1K|12340 \/ 1000/);
  });
}

for (const style of FILLED) {
  Deno.test(`a badge in ${style} fills its side to the share of the goal, and no further`, () => {
    const widths = [0, 1, 250, 500, 1000, 9999].map((count) => {
      const svg = draw(`style=${style}&goal=1000&digits=4`, count);
      const { filled, side } = partsOf(parseSvg(svg), style);
      return filled === undefined ? 0 : Number(filled.attributes.get("width")) / side;
    });
    [0, 0.001, 0.25, 0.5, 1, 1].forEach((share, index) => {
      ok(Math.abs((widths[index] ?? NaN) - share) < 0.02, `${style} ${share}: ${widths}`);
    });
  });
}

for (const style of ["terminal", "odometer", "flap", "led", "pixel"]) {
  Deno.test(`a badge in ${style} fills nothing`, () => {
    const drawn = (count: number) => parseSvg(draw(`style=${style}&goal=1000`, count)).length;
    strictEqual(drawn(111), drawn(999));
    ok(!draw(`style=${style}&goal=1000`, 111).includes("url(#k)"));
  });
}

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) =>
  value.toString(16).padStart(6, "0")
);
const color = fc.oneof(
  hex,
  fc.constantFrom(...CSS_COLORS.keys(), "", "brightgreen", "red", "lightgrey", "7777", "12345678"),
);
const chosen = fc.record({
  color,
  bg: fc.oneof(fc.constant(""), color),
  valueColor: fc.oneof(fc.constant(""), color),
  theme: fc.constantFrom("", "light", "dark", "auto"),
});

for (const style of FILLED) {
  Deno.test(`a badge in ${style} with a goal keeps its text at WCAG AA on both parts, in any color`, () => {
    fc.assert(
      fc.property(chosen, fc.boolean(), (query, isDark) => {
        const svg = draw(`${new URLSearchParams({ ...query, style })}&goal=1000`, 640);
        const elements = parseSvg(svg);
        const { filled, rest, text } = partsOf(elements, style);
        const ink = fillOf(text, { elements, isDark });
        for (const part of [filled, rest]) {
          const ground = fillOf(part, { elements, isDark });
          ok(contrast(ink, ground) >= AA, `${ink} on ${ground}: ${JSON.stringify(query)}`);
        }
        const parts = [filled, rest].map((part) => fillOf(part, { elements, isDark }));
        ok(parts[0] !== parts[1], `${parts}`);
      }),
      { numRuns: times(100, 2000), seed: 6 },
    );
  });
}

for (const goal of ["", "0", "-1", "1.5", "1e3", "x", "9007199254740992", "99999999999999999999"]) {
  Deno.test(`a goal of "${goal}" is left out`, () => {
    for (const style of FILLED) {
      strictEqual(draw(`style=${style}&goal=${goal}`, 640), draw(`style=${style}`, 640));
    }
  });
}

Deno.test("a goal of 1 and of 2^53-1 are shown, and base is part of the number", () => {
  match(draw("goal=1", 0), /<title>views: 0 \/ 1</);
  match(draw(`goal=${Number.MAX_SAFE_INTEGER}`, 5), /<title>views: 5 \/ 9007199254740991</);
  match(draw("goal=1000&base=600", 40), /<title>views: 640 \/ 1000</);
});

Deno.test("an error has no goal", async () => {
  await using app = await openToday();
  const { body } = await app.send("GET /badge?id=%00&goal=10");
  ok(!body.includes(" / "));
});

Deno.test("/badge, /hit.svg, /badge.json and /card.svg show a goal, and leave it out for two numbers", async () => {
  await using app = await openToday();
  await app.hit("a", 4);
  const body = async (path: string) => (await app.send(`GET ${path}`, authorized)).body;
  match(await body("/badge?id=a&goal=10"), /<title>views: 4 \/ 10</);
  match(await body("/badge?id=a&goal=10&period=today&spark=7"), /<title>views: 4 \/ 10</);
  match(await body("/badge.json?id=a&goal=1000&numbers=grouped"), /"message":"4 \/ 1,000"/);
  match(await body("/card.svg?id=a&goal=1000"), /<title>a: 4 \/ 1,000 views</);
  match(await body("/hit.svg?id=a&goal=10"), /<title>views: 5 \/ 10</);
  for (const path of ["/badge", "/badge.json"]) {
    const both = `${path}?id=a&show=today/total`;
    strictEqual(await body(`${both}&goal=10`), await body(both));
  }
  match(await body("/hit.svg?id=a&goal=10&show=today/total"), /<title>views: 6 \/ 6</);
});

Deno.test("/badge with a goal has another ETag when the share changes, and not the number", async () => {
  await using app = await openToday();
  const etag = async (hits: number) => {
    await app.sendBody("PUT /counters?id=a", JSON.stringify({ hits }));
    const { headers } = await app.send("GET /badge?id=a&goal=2000&numbers=compact");
    return headers.etag;
  };
  notStrictEqual(await etag(1210), await etag(1290));
});

Deno.test("drawCard() with a goal draws a bar from edge to edge to its share, within 3 kB", () => {
  for (const [total, goal, share] of [[640, 1000, 0.64], [9, 3, 1], [0, 7, 0]] as const) {
    const svg = drawCard(
      { id: "a", total, goal, days: { newest: TODAY, hits: Array(31).fill(9) } },
      parsePictureLook(new Map<string, string>([["theme", "auto"]])),
    );
    const [whole = NaN, part = 0] = [...svg.matchAll(/M23 99h([\d.]+)/g)]
      .map(([, width]) => Number(width));
    ok(Math.abs(part / whole - share) < 0.01, `${total} of ${goal}: ${part} of ${whole}`);
    strictEqual(whole, 354);
    ok(svg.length <= 3000, `${svg.length}`);
  }
  const most = drawCard(
    { id: "a", total: 2 ** 53 - 1, goal: 2 ** 53 - 1, days: { newest: TODAY, hits: [] } },
    parsePictureLook(new Map()),
  );
  const count = texts(parseSvg(most))[1];
  ok(Number(count?.attributes.get("textLength")) <= 240);
});

function openToday() {
  const calendar = createCalendar("UTC", () => TODAY * 86_400_000);
  return memoryApp({ calendar });
}

function draw(query: string, count: number): string {
  return createDrawings((svg) => svg)(new Map(new URLSearchParams(query)), count);
}

/** The parts of the side with the number, its width, and its text. */
function partsOf(
  elements: readonly Element[],
  style: string,
): {
  filled: Element | undefined;
  rest: Element | undefined;
  side: number;
  text: Element | undefined;
} {
  const text = texts(elements).at(-1);
  const rects = elements.filter(({ name }) => name === "rect");
  const number = (element: Element | undefined, key: string) =>
    Number(element?.attributes.get(key));
  if (BOXED.includes(style)) {
    const boxes = rects.filter(({ attributes }) => attributes.get("fill")?.startsWith("#"));
    const [, rest, filled] = boxes;
    return { filled, rest, side: number(rest, "width"), text };
  }
  const filled = rects.find(({ attributes }) => attributes.has("clip-path"));
  if (style === "pill") {
    const [rest] = rects;
    return { filled, rest, side: number(rest, "width") - number(filled, "x") - 0.5, text };
  }
  const rest = elements.find(({ name, attributes }) =>
    name === "path" && attributes.get("fill")?.startsWith("#")
  );
  const width = number(elements[0], "width");
  return { filled, rest, side: width - number(filled, "x") - 1, text };
}

/** The fill of an element, as a reader of light or dark pages sees it. */
function fillOf(
  element: Element | undefined,
  { elements, isDark }: { elements: readonly Element[]; isDark: boolean },
): Color {
  return `#${(element && seen(elements, element, { isDark }) || "#").slice(1)}`;
}
