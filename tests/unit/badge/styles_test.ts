import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { drawBadge, drawError, type Look, parseLook } from "../../../src/badge/drawings.ts";
import { STYLES } from "../../../src/badge/styles.ts";
import { BADGE_PARAMETERS } from "../../../src/badge/parameters.ts";
import { badgeBars } from "../../../src/badge/bars.ts";
import { drawPixels } from "../../support/picture.ts";
import { attribute, ends, parseSvg, texts } from "../../support/parse_svg.ts";

const DIGITS = ["odometer", "flap", "led", "pixel"];
const WITH_LOGO = ["classic", "flat-square", "plastic", "for-the-badge", "social", "pill"];

Deno.test("drawBadge() keeps every style within 3 kB in every script, with the largest count and most digits", () => {
  const bars = badgeBars(days(Array.from({ length: 30 }, (_, back) => 1000 - back)), 30);
  const labels =
    "views просмотры アクセス数 浏览次数 दृश्य مشاهدات بازدید צפיות การเข้าชม பார்வைகள் ကြည့်ရှုမှု προβολές ნახვები";
  const counts = ["9,007,199,254,740,991", "٩٬٠٠٧٬١٩٩٬٢٥٤٬٧٤٠٬٩٩١", "၉,၀၀၇,၁၉၉,၂၅၄,၇၄၀,၉၉၁"];
  for (const style of STYLES.keys()) {
    const isOfDigits = DIGITS.includes(style);
    for (const label of labels.split(" ")) {
      for (const count of isOfDigits ? ["9007199254740991"] : counts) {
        const shown = look(`style=${style}&label=${label}&theme=auto&logo=users&digits=16`);
        const svg = drawBadge(shown, count, isOfDigits ? {} : { bars });
        const bytes = new TextEncoder().encode(svg).length;
        ok(bytes <= 3000, `${style} ${label} ${count}: ${bytes}`);
      }
    }
  }
});

Deno.test("drawBadge() puts the bars of digit styles behind the panel, as high as the number", () => {
  const bars = badgeBars(days([3, 5, 1, 2, 4, 6, 7]), 7);
  for (const style of DIGITS) {
    const shown = look(`style=${style}`);
    const width = Number(attribute(parseSvg(drawBadge(shown, "42")), "svg", "width"));
    const svg = drawBadge(shown, "42", { bars });
    strictEqual(Number(attribute(parseSvg(svg), "svg", "width")), width + 6 + bars.width);
    match(svg, new RegExp(`transform="scale\\(1 2\\)"><path d="M${width + 6} `));
  }
});

Deno.test("drawBadge() stands the digits of all digit styles 8 px above the bottom, so that a row shares one baseline", () => {
  for (const style of DIGITS) {
    // The last wheel of the odometer has begun to turn, so it is the same in both.
    const [ones, twos] = ["1111111", "2222221"].map((count) =>
      drawPixels(drawBadge(look(`style=${style}&label=`), count))
    );
    ok(ones !== undefined && twos !== undefined);
    const { width, height, data } = ones;
    // A glow, a shadow and a row that is covered by less than half differ by less.
    const off = (at: number) => Math.abs((data[at] ?? 0) - (twos.data[at] ?? 0));
    const last = data.findLastIndex((_: number, at: number) =>
      off(at - 2) + off(at - 1) + off(at) > 250
    );
    strictEqual(height - 1 - Math.floor(last / 4 / width), 8, style);
  }
});

Deno.test("drawError() keeps every style within 3 kB", () => {
  for (const style of STYLES.keys()) {
    const bytes = new TextEncoder().encode(
      drawError(look(`style=${style}`), "store unavailable"),
    );
    ok(bytes.length <= 3000, `${style}: ${bytes.length}`);
  }
});

const STRETCHED: readonly (readonly [label: string, isStretched: boolean])[] = [
  ["views", false],
  ["日本", false],
  ["مشاهدات", true],
  ["צפיות", true],
  ["42 צפיות", true],
  ["hits צפיות", true],
  ["दृश्य", true],
];

for (const [label, isStretched] of STRETCHED) {
  Deno.test(`drawBadge() fits ${label} by ${isStretched ? "scaling its letters" : "spacing it"}`, () => {
    // Firefox spaces right-to-left text the wrong way, and spaces tear joined letters apart.
    for (
      const style of [
        "classic",
        "flat-square",
        "plastic",
        "for-the-badge",
        "social",
        "pill",
        "terminal",
      ]
    ) {
      const [drawn] = texts(parseSvg(drawBadge(look(`style=${style}&label=${label}`), "42")));
      const adjust = drawn?.attributes.get("lengthAdjust");
      strictEqual(adjust, isStretched ? "spacingAndGlyphs" : undefined, style);
    }
  });
}

Deno.test("drawBadge() of social keeps a bold Arabic label off the logo where nothing heeds textLength", () => {
  const badge = parseSvg(drawBadge(look("style=social&label=مشاهدات"), "42"));
  const [label] = texts(badge);
  // As wide as in DejaVu Sans Bold of 11 px; the logo ends at 20 px.
  const drawn = 7 * 0.662 * 11;
  ok(Number(label?.attributes.get("x")) - drawn / 2 >= 20, String(label?.attributes.get("x")));
});

for (const style of DIGITS) {
  Deno.test(`drawBadge() of ${style} fills seven places with zeros, takes digits= and makes room for more`, () => {
    const widthOf = (query: string, message: string) =>
      widthOfBadge(look(`label=&style=${style}${query}`), message);
    const step = widthOf("&digits=8", "0") - widthOf("", "0");
    ok(step > 0);
    strictEqual(widthOf("", "1"), widthOf("", "9999999"));
    strictEqual(widthOf("", "12345678"), widthOf("", "1") + step);
    strictEqual(widthOf("&digits=1", "7"), widthOf("", "7") - 6 * step);
    strictEqual(widthOf("&digits=99", "7"), widthOf("&digits=16", "7"));
    for (const odd of ["0", "-3", "x", "1.5", ""]) {
      strictEqual(widthOf(`&digits=${odd}`, "7"), widthOf("", "7"), odd);
    }
  });

  Deno.test(`drawBadge() of ${style} draws each digit in a shape of its own, and says the plain number`, () => {
    const shapes = Array.from({ length: 10 }, (_, digit) => {
      const svg = drawBadge(look(`label=&style=${style}&digits=1`), String(digit));
      strictEqual(attribute(parseSvg(svg), "svg", "aria-label"), String(digit));
      return svg.replaceAll(/<title>.*<\/title>|aria-label="\d+"/g, "");
    });
    strictEqual(new Set(shapes).size, 10);
    const grouped = look(`style=${style}&numbers=grouped&locale=ar-EG`);
    deepStrictEqual([grouped.numbers, grouped.locale], ["plain", "en"]);
  });

  Deno.test(`drawBadge() of ${style} shows today beside the total`, () => {
    const both = drawBadge(look(`style=${style}&digits=1`), "12 / 345");
    strictEqual(attribute(parseSvg(both), "svg", "aria-label"), "views: 12 / 345");
    const six = widthOfBadge(look(`style=${style}&digits=1`), "123456");
    strictEqual(Number(attribute(parseSvg(both), "svg", "width")), six);
  });

  Deno.test(`drawError() of ${style} says the error on a panel of the same height`, () => {
    const error = parseSvg(drawError(look(`style=${style}`), "store away"));
    const usual = parseSvg(drawBadge(look(`style=${style}`), "1"));
    strictEqual(attribute(error, "svg", "aria-label"), "views: store away");
    strictEqual(attribute(error, "svg", "height"), attribute(usual, "svg", "height"));
  });
}

Deno.test("drawBadge() draws every logo in a shape of its own, where the style has room for one", () => {
  for (const style of WITH_LOGO) {
    const drawn = BADGE_PARAMETERS.logo.schema.enum.map((name) =>
      draw(`style=${style}&logo=${name}`)
    );
    strictEqual(new Set(drawn).size, BADGE_PARAMETERS.logo.schema.enum.length, style);
    notStrictEqual(draw(`style=${style}&logo=eye&logoColor=gold`), draw(`style=${style}&logo=eye`));
  }
  for (const style of [...DIGITS, "terminal"]) {
    strictEqual(draw(`style=${style}&logo=eye`), draw(`style=${style}`), style);
  }
});

Deno.test("drawBadge() keeps a logo clear of the texts, with a label and without", () => {
  for (const style of WITH_LOGO) {
    for (const label of ["views", ""]) {
      const [plain, withLogo] = ["", "&logo=eye"].map((more) =>
        parseSvg(draw(`style=${style}&label=${label}${more}`))
      );
      const shift = Number(attribute(withLogo ?? [], "svg", "width")) -
        Number(attribute(plain ?? [], "svg", "width"));
      // These two have a mark of their own in its place.
      if (style === "social" || style === "pill") strictEqual(shift, 0, style);
      else ok(shift >= 17, `${style} ${label}: ${shift}`);
      const [first] = texts(withLogo ?? []);
      const scale = style === "social" || style === "pill" ? 1 : 10;
      const left = first === undefined ? NaN : ends(first).left / scale;
      ok(left >= 19, `${style} ${label}: ${left}`);
    }
  }
});

Deno.test("drawBadge() of pill follows the reader's scheme unless a theme is named", () => {
  ok(draw("style=pill").includes("prefers-color-scheme:dark"));
  strictEqual(draw("style=pill"), draw("style=pill&theme=auto"));
  for (const theme of ["light", "dark"]) ok(!draw(`style=pill&theme=${theme}`).includes("<style"));
});

const TRENDS:
  readonly (readonly [hits: readonly number[], drawn: string | undefined, spoken: string])[] = [
    // Today's 900 are not over, so they say nothing.
    [[900, ...Array(7).fill(112), ...Array(7).fill(100)], "▲ 12%", ", up 12% in 7 days"],
    [[0, ...Array(7).fill(50), ...Array(7).fill(100)], "▼ 50%", ", down 50% in 7 days"],
    [[0, ...Array(7).fill(3), ...Array(7).fill(3)], "0%", ", steady in 7 days"],
    [
      [5, ...Array(7).fill(90_000), 1, 0, 0, 0, 0, 0, 0],
      "▲ >999%",
      ", up more than 999% in 7 days",
    ],
    [[5, ...Array(7).fill(9), ...Array(7).fill(0)], undefined, ""],
    [[5, ...Array(7).fill(9), ...Array(6).fill(9)], undefined, ""],
    [[], undefined, ""],
  ];

for (const [hits, drawn, spoken] of TRENDS) {
  Deno.test(`drawBadge() of pill with bars tells the trend of ${hits.join(" ")}: ${drawn}`, () => {
    const bars = badgeBars(days(hits), 14);
    const svg = parseSvg(drawBadge(look("style=pill&spark=14"), "128728", { bars }));
    strictEqual(attribute(svg, "svg", "aria-label"), `views: 128728${spoken}`);
    strictEqual(texts(svg)[2]?.text, drawn);
  });
}

Deno.test("drawBadge() of social writes a label of small letters with a capital, and says it as it is", () => {
  const svg = parseSvg(draw("style=social&label=views"));
  strictEqual(texts(svg)[0]?.text, "Views");
  strictEqual(attribute(svg, "svg", "aria-label"), "views: 42");
  strictEqual(texts(parseSvg(draw("style=social&label=%26x")))[0]?.text, "&x");
});

function look(query: string): Look {
  return parseLook(new Map(new URLSearchParams(query)));
}

function draw(query: string): string {
  return drawBadge(look(query), "42");
}

function widthOfBadge(shown: Look, message: string): number {
  return Number(attribute(parseSvg(drawBadge(shown, message)), "svg", "width"));
}

function days(hits: readonly number[]): { newest: number; hits: readonly number[] } {
  return { newest: 20_000, hits };
}
