import {
  deepStrictEqual,
  doesNotMatch,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import fc from "fast-check";
import { type Color, contrast } from "../../../src/drawing/color.ts";
import { drawCalendar } from "../../../src/chart/draw_calendar.ts";
import { drawCard, PREVIEW } from "../../../src/chart/draw_card.ts";
import { type ChartFigures, drawChart } from "../../../src/chart/draw_chart.ts";
import { curveThrough, FINENESS } from "../../../src/chart/curve.ts";
import { drawLines } from "../../../src/chart/draw_lines.ts";
import { drawProblem } from "../../../src/chart/pictures.ts";
import { parseChartLook, parsePictureLook } from "../../../src/chart/look.ts";
import { assertInert, hostileText } from "../../support/hostile_text.ts";
import { attribute, type Element, ends, parseSvg, seen, texts } from "../../support/parse_svg.ts";
import { drawnBars } from "./drawn_bars.ts";
import { FIGURES, TODAY } from "./gallery.ts";
import { times } from "../../support/times.ts";

const bytesOf = (svg: string) => new TextEncoder().encode(svg).length;
const wordsIn = (svg: string) => texts(parseSvg(svg)).map(({ text }) => text);

/** "Views" in a language, with its locale. */
const LANGUAGES: [locale: string, label: string][] = [
  ...[["en", "views"], ["de", "Aufrufe"], ["fr", "vues"], ["ru", "просмотры"], [
    "ja",
    "アクセス数",
  ]],
  ...[["zh", "浏览次数"], ["hi", "दृश्य"], ["ar-EG", "مشاهدات"], ["fa", "بازدید"], ["he", "צפיות"]],
  ...[["th", "การเข้าชม"], ["ta", "பார்வைகள்"], ["my-u-nu-mymr", "ကြည့်ရှုမှု"], ["vi", "lượt xem"]],
  ...[["hu", "megtekintés"], ["el", "προβολές"], ["fi", "katselut"], ["ko", "조회수"]],
  ...[["uk", "перегляди"], ["pt", "visualizações"], ["ka", "ნახვები"]],
].map(([locale = "", label = ""]) => [locale, label]);
/** As uneven as days can be, and as large. */
const LOUD: ChartFigures = {
  total: Number.MAX_SAFE_INTEGER,
  days: {
    newest: TODAY,
    hits: Array.from({ length: 400 }, (_, back) => ((back * 7919) % 1009) * 2 ** 33),
  },
};

for (const [locale, label] of LANGUAGES) {
  Deno.test(`pictures with ${label} in ${locale} stay within 3.8 kB, calendars within 6`, () => {
    const language = `theme=auto&locale=${locale}&label=${label}`;
    for (const shown of [FIGURES, LOUD]) {
      for (const kind of ["bars", "area", "total"]) {
        for (const range of ["30d", "90d", "12w", "52w", "12m"]) {
          const look = `${language}&kind=${kind}&range=${range}`;
          const bytes = bytesOf(chart(look, shown.days.hits, shown.total));
          ok(bytes <= 3800, `${kind} ${range}: ${bytes}`);
        }
      }
      for (const kind of ["bars", "area", "total"]) {
        const hits = shown.days.hits.slice(0, 400);
        const tenYears = Array.from({ length: 3652 }, (_, back) => hits[back % 400] ?? 0);
        const bytes = bytesOf(chart(`${language}&kind=${kind}&range=all`, tenYears, shown.total));
        ok(bytes <= 3800, `${kind} of ten years: ${bytes}`);
      }
      ok(bytesOf(card(language, shown)) <= 3000, `${bytesOf(card(language, shown))}`);
      ok(bytesOf(calendar(language, shown)) <= 6000, `${bytesOf(calendar(language, shown))}`);
    }
  });
}

Deno.test("drawChart() takes an unknown kind for bars", () => {
  for (const kind of ["", "line", "Area", "constructor"]) {
    strictEqual(chart(`kind=${kind}`), chart(""));
  }
  notStrictEqual(chart("kind=area"), chart(""));
});

Deno.test("drawChart() writes number and day beside a peak of 1.6 times the usual day or more, and beside no other", () => {
  const usual = Array<number>(30).fill(1000);
  for (const kind of ["bars", "area"]) {
    const [below, above] = [1599, 1600].map((peak) =>
      wordsIn(chart(`kind=${kind}`, usual.with(9, peak)))
    );
    ok(!below?.includes("1,599"), kind);
    ok(above?.includes("1,600"), kind);
    ok(above?.includes("Nov 12"), kind);
  }
  ok(!wordsIn(chart("", [9, 1, 1, 1, 1, 1])).includes("9"), "six days are not enough");
});

Deno.test("drawChart() writes the peak where no bar is in its way, or not at all", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { minLength: 30, maxLength: 30 }), (hits) => {
      const peak = Math.max(...hits);
      const elements = parseSvg(chart("numbers=plain&label=", hits));
      const label = texts(elements).find(({ text, attributes }) =>
        text === String(peak) && attributes.has("font-weight") && Number(attributes.get("y")) > 30
      );
      if (label === undefined) return;
      const { left, right } = ends(label);
      for (const bar of drawnBars(elements)) {
        const isBeside = bar.x < left || bar.x > right;
        ok(isBeside || bar.top > Number(label.attributes.get("y")), hits.join());
      }
    }),
    { numRuns: times(100, 500), seed: 3 },
  );
});

Deno.test("drawChart() with kind=total marks round totals with the day on which they were reached", () => {
  // 980 before today and yesterday, 1,010 after yesterday, 1,015 now.
  const words = wordsIn(chart("kind=total", [5, 30, ...Array<number>(28).fill(1)], 1015));
  strictEqual(words[words.indexOf("1K") + 1], "Nov 20", words.join());
  ok(!wordsIn(chart("kind=total", Array(30).fill(0), 1000)).slice(-3).includes("1K"));
});

Deno.test("drawChart() writes peaks and round totals clear of the dashed lines", () => {
  const value = fc.array(fc.nat(500), { minLength: 30, maxLength: 30 });
  const kind = fc.constantFrom("bars", "area", "total");
  fc.assert(
    fc.property(value, kind, fc.integer({ min: 120, max: 180 }), (hits, kind, height) => {
      const elements = parseSvg(chart(`kind=${kind}&height=${height}`, hits, 20_000));
      const dashed = elements.find(({ attributes }) => attributes.has("stroke-dasharray"));
      const lines = [...(dashed?.attributes.get("d") ?? "").matchAll(/M\S+ ([\d.]+)/g)];
      const dates = height - 15;
      const marks = texts(elements).filter(({ attributes: { get }, attributes }) => {
        const [x, y] = ["x", "y"].map((name) => Number(get.call(attributes, name)));
        return (y ?? 0) > 25 && (y ?? 0) < dates && (x ?? 0) < 440;
      });
      for (const { attributes, text } of marks) {
        const y = Number(attributes.get("y"));
        for (const [, line] of lines) {
          ok(Number(line) <= y - 8 || Number(line) >= y + 2, `${text} at ${y}, ${line}`);
        }
      }
    }),
    { numRuns: times(60, 300), seed: 5 },
  );
});

Deno.test("pictures name the first of the days that tie for the most hits, in words too", () => {
  // Nov 12 and Nov 17.
  const shown = figures(Array<number>(30).fill(10).with(9, 99).with(4, 99));
  for (const kind of ["bars", "area"]) {
    const svg = chart(`kind=${kind}`, shown.days.hits);
    ok(wordsIn(svg).includes("Nov 12"), kind);
    match(svg, /The most were 99, on Nov 12, 2026\./);
  }
  const svg = calendar("", shown);
  ok(wordsIn(svg).includes("Best day Nov 12: 99"));
  match(svg, /The most were 99, on Nov 12\./);
});

for (const theme of ["auto", "light", "dark"]) {
  for (const dark of [false, true]) {
    Deno.test(`pictures in theme=${theme} have all their words at WCAG AA for readers of ${dark ? "dark" : "light"} pages`, () => {
      const kinds = ["bars", "area", "total"].map((kind) => chart(`kind=${kind}&theme=${theme}`));
      for (const svg of [...kinds, calendar(`theme=${theme}`), card(`theme=${theme}`)]) {
        const elements = parseSvg(svg);
        const fillOf = (element: Element): Color =>
          `#${(seen(elements, element, { isDark: dark }) ?? "#").slice(1)}`;
        const [panel] = elements.filter(({ name }) => name === "rect").map(fillOf);
        const inks = elements.filter(({ name, attributes }) =>
          /^(g|text)$/.test(name) && attributes.get("fill")?.startsWith("#")
        );
        ok(inks.length > 0 && panel !== undefined);
        for (const ink of inks) {
          ok(contrast(fillOf(ink), panel) >= 4.5, `${fillOf(ink)} on ${panel}`);
        }
      }
    });
  }
}

Deno.test("pictures in a theme write the count in stronger ink than their other words", () => {
  const kinds = ["bars", "area", "total"].map((kind) => chart(`kind=${kind}&theme=light`));
  for (const svg of [...kinds, calendar("theme=light")]) {
    const bold = texts(parseSvg(svg)).filter(({ attributes }) => attributes.has("font-weight"));
    ok(bold.length > 0);
    for (const { attributes, text } of bold) strictEqual(attributes.get("fill"), "#1f2328", text);
  }
});

Deno.test("drawChart() with kind=total starts at 0 where an owner has set the total below the days", () => {
  const svg = chart("kind=total", Array<number>(30).fill(10), 3);
  ok(!svg.includes("NaN"));
  match(svg, /<title>views: 3<\/title>/);
});

Deno.test("curveThrough() never leaves the heights of the two points that it is between, and is level between equal ones", () => {
  const height = fc.oneof(fc.nat(100), fc.nat(10_000)).map((height) => height / 100);
  // Pairs of equal days between others.
  const heights = fc.array(fc.tuple(height, fc.nat(1)), { minLength: 2, maxLength: 20 })
    .map((days) => days.flatMap(([height, more]) => Array<number>(1 + more).fill(height)));
  fc.assert(
    fc.property(heights, (ys) => {
      let y = FINENESS * (ys[0] ?? 0);
      let [control, index] = [0, 0];
      for (const [, command, numbers = ""] of curve(ys).matchAll(/([cs])([^cs]+)/g)) {
        const values = [...numbers.matchAll(/-?\d+/g)].map(Number);
        const first = command === "c" ? values[1] ?? 0 : control;
        const [second = 0, end = 0] = values.slice(command === "c" ? 3 : 1).filter((_, at) =>
          at !== 1
        );
        index++;
        ok(Math.abs(y + end - FINENESS * (ys[index] ?? 0)) <= 1, `${ys} ${index}`);
        // Both controls are between the ends, and so is the curve.
        const [low, high] = [Math.min(0, end), Math.max(0, end)];
        ok(first >= low && first <= high && second >= low && second <= high, `${ys} ${index}`);
        control = end - second;
        y += end;
      }
      strictEqual(index, ys.length - 1);
    }),
    { examples: [[[0.1, 0.29, 20]]] },
  );
});

Deno.test("drawCalendar() keeps the noisiest year within 6 kB, and a usual one within 3.7 kB", () => {
  const noise = Array.from({ length: 371 }, (_, back) => (back * 7919) % 1009);
  const svg = calendar("theme=auto", { total: 9, days: { newest: TODAY, hits: noise } });
  ok(bytesOf(svg) <= 6000, `${bytesOf(svg)}`);
  ok(bytesOf(calendar("theme=auto")) <= 3700);
});

Deno.test("drawCalendar() shows 53 weeks from Monday to today: no day after it, each day once", () => {
  for (let newest = TODAY; newest < TODAY + 7; newest++) {
    const hits = Array<number>(371).fill(1);
    const [nothing = ""] = paths(calendar("", { total: 1, days: { newest, hits } }));
    const cells = cellsIn(nothing).filter(([, row]) => row < 7);
    // 2026-11-21, the first of these days, is a Saturday.
    const weekday = (newest - TODAY + 5) % 7;
    strictEqual(cells.length, 52 * 7 + weekday + 1);
    strictEqual(new Set(cells.map(String)).size, cells.length);
    ok(cells.every(([week, row]) => week < 52 || row <= weekday));
  }
});

Deno.test("drawCalendar() shades days by rank: a quarter each, then 30 and 15 in a hundred, none for no hits", () => {
  // The newest hundred days have 1 to 100 hits; one loud day changes nothing for the others.
  const hits = Array.from({ length: 100 }, (_, back) => back + 1).with(99, 1_000_000);
  const shades = paths(calendar("", { total: 1, days: { newest: TODAY, hits } }));
  const counts = shades.map((path) => cellsIn(path).filter(([, row]) => row < 7).length);
  // Each shade is drawn over the lighter ones.
  deepStrictEqual(counts.slice(1), [100, 74, 44, 14]);
});

Deno.test("drawCalendar() says its figures in words, and its best day", () => {
  const svg = calendar("label=ada/engine");
  match(
    svg,
    /<title>ada\/engine: 48,213<\/title><desc>35,417 hits in 53 weeks\. The most were 278, on Nov 4\.<\/desc>/,
  );
  ok(wordsIn(svg).includes("Best day Nov 4: 278"));
  const empty = calendar("", { total: 0, days: { newest: TODAY, hits: [] } });
  match(empty, /<desc>No hits in 53 weeks\.<\/desc>/);
  ok(!empty.includes("Best day"));
});

Deno.test("drawCalendar() explains its shades in words in English, in figures in any other language", () => {
  deepStrictEqual(wordsIn(calendar("")).slice(-3), ["Less", "More", "Best day Nov 4: 278"]);
  deepStrictEqual(wordsIn(calendar("locale=de")).slice(-3), ["0", "278", "4. Nov.: 278"]);
  deepStrictEqual(wordsIn(calendar("locale=ar-EG")).slice(-3, -1), ["٠", "٢٧٨"]);
  const empty = wordsIn(calendar("locale=de", { total: 0, days: { newest: TODAY, hits: [] } }));
  strictEqual(empty.at(-1), "0");
  const loud = { total: 1, days: { newest: TODAY, hits: [Number.MAX_SAFE_INTEGER] } };
  for (const query of ["locale=de", "locale=ar-EG", "locale=ja&numbers=plain"]) {
    const [, most] = texts(parseSvg(calendar(query, loud))).slice(-3);
    ok(most !== undefined && ends(most).right <= 742, query);
  }
});

Deno.test("drawCalendar() and drawCard() keep every text inside the picture in any language", () => {
  for (const locale of "en ar-EG fa he hi de ja ko th ta my el vi hu fi ru uk pt ka".split(" ")) {
    for (const svg of [calendar(`locale=${locale}`), card(`locale=${locale}`)]) {
      const elements = parseSvg(svg);
      const width = Number(attribute(elements, "svg", "width"));
      for (const element of texts(elements)) {
        const { left, right } = ends(element);
        ok(left >= 4 && right <= width - 4, `${locale}: ${element.text} at ${left}`);
      }
    }
  }
});

Deno.test("drawCard() shows id, count, today, trend and label, within 3 kB", () => {
  const svg = card("theme=auto&label=readers");
  deepStrictEqual(wordsIn(svg), [
    "ada/engine",
    "48,213",
    "readers",
    "46",
    "today",
    "▲ 4%",
    "7 days",
  ]);
  match(svg, /<title>ada\/engine: 48,213 readers<\/title><desc>46 today, up 4% in 7 days<\/desc>/);
  strictEqual(
    `${attribute(parseSvg(svg), "svg", "width")}×${attribute(parseSvg(svg), "svg", "height")}`,
    "400×150",
  );
  ok(bytesOf(svg) <= 3000);
});

Deno.test("drawCard() writes the trend for the reader's language, in the accent when it goes up", () => {
  const trend = (query: string, shown?: ChartFigures) =>
    texts(parseSvg(card(query, shown))).find(({ text }) => /[▲▼]/.test(text));
  strictEqual(trend("locale=de")?.text, "▲ 4\u00a0%");
  strictEqual(trend("theme=light")?.attributes.get("fill"), "#0b7261");
  match(card("theme=auto"), /\{fill:#5ad1b2\}/);
  const falling = {
    total: 99,
    days: { newest: TODAY, hits: [0, ...Array(7).fill(1), ...Array(7).fill(2)] },
  };
  strictEqual(trend("theme=light", falling)?.text, "▼ 50%");
  strictEqual(trend("theme=light", falling)?.attributes.get("fill"), undefined);
});

Deno.test("drawCard() has a brighter line and mark for readers of dark pages, and keeps a color that was chosen", () => {
  match(card("theme=auto"), /\{stroke:#f0f6fc\}.*\{stroke:#2fae91\}/);
  match(card("theme=dark"), /fill="url\(#tya17957f\)" stroke="#2fae91"/);
  for (const theme of ["auto", "light", "dark", "none"]) {
    const chosen = card(`theme=${theme}&color=f0f`);
    match(chosen, /fill="url\(#tyaf0f\)" stroke="#f0f"/);
  }
});

Deno.test("drawChart() with kind=total ends in a dot at the count of today", () => {
  const dots = parseSvg(chart("kind=total&theme=light", Array<number>(30).fill(0), 900)).filter(
    ({ name }) => name === "circle",
  );
  strictEqual(dots.length, 1);
  strictEqual(dots[0]?.attributes.get("fill"), "none", "it is open, because today is not over");
});

/** Two views so far, after some hundred each day. */
const MORNING = [2, ...Array<number>(800).fill(100)];
const startsOf = (svg: string) =>
  [...svg.matchAll(/<path transform="scale\(\.2\)"[^>]* d="([^"]*)"/g)].map(([, d]) => d);

Deno.test("lines and areas end with the last full step, so that the open one is no fall", () => {
  for (const range of ["30d", "90d", "12w", "52w", "12m", "all"]) {
    // Hits in the open step leave the path as it is.
    const paths = [2, 100].map((today) =>
      startsOf(chart(`kind=area&range=${range}`, MORNING.with(0, today), 99_999))
    );
    const quiet = range === "30d" || range === "90d";
    strictEqual(paths[0]?.length, 1, range);
    if (quiet) deepStrictEqual(paths[0], paths[1], range);
    doesNotMatch(chart(`kind=area&range=${range}`, MORNING), /stroke-opacity="\.45"/);
    match(chart(`kind=total&range=${range}`, MORNING), /stroke-dasharray="4 3"/);
  }
  const several = (kind: "area" | "total", today: number) =>
    drawLines(
      [{ id: "a", ...figures(MORNING.with(0, today)) }, { id: "b", ...figures([1, 1, 1]) }],
      { ...parseChartLook(new Map()), kind },
    );
  strictEqual(startsOf(several("area", 2))[0], startsOf(several("area", 100))[0]);
  match(several("area", 2), />each day, to Nov 20</);
  match(several("total", 2), /stroke-dasharray="4 3"/);
});

Deno.test("an area of many days has faint bars, and a line of means of seven", () => {
  const hits = Array.from({ length: 90 }, (_, back) => back % 7 === 3 ? 70 : 7);
  const svg = chart("kind=area&range=90d&theme=light", hits);
  // Every seven days have the same mean, so that the line is level.
  match(svg, /d="M\d+ \d+c\d+ 0 \d+ 0 \d+ 0(?:s\d+ 0 \d+ 0){10}"/);
  match(svg, /<g opacity="\.35"><g [^>]*><path d="(?:M\d+ 0v\d+){89}"/);
});

Deno.test("cards and previews show the thirty full days before today, previews as bars", () => {
  const shown = (today: number, size?: typeof PREVIEW) =>
    drawCard(
      { id: "a", ...figures(MORNING.with(0, today), 500) },
      parsePictureLook(new Map()),
      size,
    )
      .replaceAll(/<(?:text|desc)[^>]*>[^<]*/g, "");
  strictEqual(shown(2), shown(100));
  strictEqual(shown(2, PREVIEW), shown(100, PREVIEW));
  ok(!shown(2, PREVIEW).includes("linearGradient"));
  strictEqual(shown(2, PREVIEW).match(/M\d+ 0v\d+/g)?.length, 30);
});

Deno.test("a heading says what each number is", () => {
  const said = (query: string, hits: readonly number[], total: number) =>
    wordsIn(chart(query, hits, total)).slice(1, 3).join(" ");
  const tenYears = Array<number>(3652).fill(10);
  strictEqual(said("", [1, 2], 100), "100 · 3 in 30 days");
  strictEqual(said("range=all", tenYears, 36_520), "36,520 in 10 years, by quarter");
  strictEqual(said("range=all", tenYears, 99_000), "99,000 · 36,520 in 10 years, by quarter");
  strictEqual(said("range=all&locale=de", tenYears, 36_520), "36.520 / 10 Jahre (Quartal)");
  // An owner has set the total below the hits of its days.
  strictEqual(said("range=all", tenYears, 9000), "9,000 0");
});

Deno.test("drawCard() of a counter without days has neither line nor trend, and the largest count fits", () => {
  const empty = card("", { total: 0, days: { newest: TODAY, hits: [] } });
  ok(!empty.includes("url("));
  ok(!empty.includes("%"));
  const most = card("", { total: Number.MAX_SAFE_INTEGER, days: { newest: TODAY, hits: [] } });
  const count = texts(parseSvg(most))[1];
  ok(count !== undefined && ends(count).right < 380);
});

Deno.test("drawProblem() has the size and the label of what it stands in for, and one sentence that fits", () => {
  const failing = {
    badge: "store away",
    detail: "The counter store is unavailable: nothing was counted.",
  };
  for (const [width, height] of [[480, 180], [240, 120], [747, 189], [400, 150]] as const) {
    const look = parsePictureLook(new Map<string, string>([["label", "ada/engine"]]));
    const svg = drawProblem(failing, look, { width, height });
    strictEqual(attribute(parseSvg(svg), "svg", "width"), String(width));
    const [label, sentence] = texts(parseSvg(svg));
    strictEqual(label?.text, "ada/engine");
    ok(Number(sentence?.attributes.get("textLength")) <= width - 32);
    match(svg, /<desc>The counter store is unavailable/);
  }
});

Deno.test("drawCalendar(), drawCard(), drawProblem() and every kind of chart let nothing in", () => {
  const value = hostileText;
  const query = fc.record({
    label: value,
    color: value,
    numbers: value,
    locale: value,
    theme: value,
    kind: value,
  });
  fc.assert(
    fc.property(query, value, fc.constantFrom("bars", "area", "total"), (given, id, kind) => {
      const look = parsePictureLook(new Map(Object.entries(given)));
      assertInert(drawCalendar(FIGURES, look));
      assertInert(drawCard({ ...FIGURES, id }, look));
      assertInert(
        drawProblem({ badge: id, detail: "No." }, look, { width: 400, height: 150 }),
      );
      assertInert(drawChart(FIGURES, parseChartLook(new Map(Object.entries({ ...given, kind })))));
    }),
    { numRuns: times(100, 500), seed: 7 },
  );
});

function figures(hits: readonly number[], total = 48_213): ChartFigures {
  return { total, days: { newest: TODAY, hits } };
}

function chart(query: string, hits?: readonly number[], total?: number): string {
  const look = parseChartLook(new Map(new URLSearchParams(query)));
  return drawChart(hits === undefined ? FIGURES : figures(hits, total), look);
}

function calendar(query: string, shown: ChartFigures = FIGURES): string {
  return drawCalendar(shown, parsePictureLook(new Map(new URLSearchParams(query))));
}

function card(query: string, shown: ChartFigures = FIGURES): string {
  return drawCard(
    { ...shown, id: "ada/engine" },
    parsePictureLook(new Map(new URLSearchParams(query))),
  );
}

function curve(ys: readonly number[]): string {
  return curveThrough(ys.map((y, index) => ({ x: index * 9, y }))).path;
}

/** The strokes of the five shades. */
function paths(svg: string): string[] {
  return parseSvg(svg).flatMap(({ name, attributes }) =>
    name === "path" && attributes.has("stroke") && attributes.get("d")?.includes("M46 8") ||
      name === "path" && /M(47|48|49|50) 8h1$/.test(attributes.get("d") ?? "")
      ? [attributes.get("d") ?? ""]
      : []
  );
}

/** The cells that strokes go over, as week and weekday. */
function cellsIn(path: string): [number, number][] {
  const cells: [number, number][] = [];
  let [week, row] = [0, 0];
  for (const [, command, one = "", other = ""] of path.matchAll(/([Mmh])(\d+) ?(\d+)?/g)) {
    if (command === "M") [week, row] = [Number(one), Number(other)];
    else if (command === "m") week += Number(one);
    else for (let left = Number(one); left > 0; left--) cells.push([week++, row]);
  }
  return cells;
}

Deno.test("a card without daily history says when it begins, and one with history does not", () => {
  const words = "Daily history begins with the next view.";
  const saysSo = (hits: number[]) =>
    texts(parseSvg(card("", { total: 12, days: { newest: TODAY, hits } })))
      .some(({ text }) => text === words);
  // The days of a counter without history are today with 0 hits.
  deepStrictEqual([[], [0]].map(saysSo), [true, true]);
  deepStrictEqual([[1], [0, 0]].map(saysSo), [false, false]);
});
