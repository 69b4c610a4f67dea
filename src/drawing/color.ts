/** A color that is safe in an SVG: "#" and 3, 4, 6 or 8 lower-case hex digits. */
export type Color = `#${string}`;

/** Parses a name of shields.io or CSS, or hex with or without "#", in upper or lower case. */
export function parseColor(text: string | undefined): Color | undefined {
  if (text === undefined || text.length > MAX_LENGTH) return undefined;
  const name = text.trim().toLowerCase();
  return SHIELDS_COLORS.get(name) ?? CSS_COLORS.get(name) ?? hexColor(name);
}

/**
 * Returns the color for shields.io: a name or lower-case hex (with "#") that it draws, else "blue".
 */
export function shieldsColor(text: string | undefined): string {
  const name = text?.trim().toLowerCase() ?? "";
  return parseColor(text) === undefined ? "blue" : hexColor(name) ?? name;
}

/**
 * Reports whether text on this color must be dark, which shields.io does above a brightness of
 * 0.69.
 */
export function isBright(color: Color): boolean {
  const [red, green, blue] = channels(color);
  // Rounded to two places before it is compared, as shields.io does.
  return Math.round((red * 299 + green * 587 + blue * 114) / 2550) > 69;
}

/** Returns the contrast ratio of two colors (WCAG 2), from 1 to 21. Ignores transparency. */
export function contrast(one: Color, other: Color): number {
  const a = luminance(one) + 0.05;
  const b = luminance(other) + 0.05;
  return a > b ? a / b : b / a;
}

/** The contrast that WCAG 2 asks for in level AA. */
export const AA = 4.5;

/** Mixes a share of another color into a color. The result is opaque. */
export function mix(one: Color, other: Color, share: number): Color {
  const target = channels(other);
  const mixed = channels(one).map((channel, index) =>
    Math.round(channel + share * ((target[index] ?? 0) - channel))
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

function luminance(color: Color): number {
  const [red, green, blue] = channels(color);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const part = channel / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function channels(color: Color): [red: number, green: number, blue: number] {
  if (color.length < 6) {
    const digits = parseInt(color.slice(1, 4), 16);
    return [(digits >> 8) * 17, (digits >> 4 & 15) * 17, (digits & 15) * 17];
  }
  const digits = parseInt(color.slice(1, 7), 16);
  return [digits >> 16, digits >> 8 & 255, digits & 255];
}

function hexColor(text: string): Color | undefined {
  const digits = text.startsWith("#") ? text.slice(1) : text;
  return HEX.test(digits) ? `#${digits}` : undefined;
}

const HEX = /^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/;

// "lightgoldenrodyellow" has 20 letters; the rest is room for blanks.
const MAX_LENGTH = 32;

/** Parses names and hex digits such as `red=f00`. */
function parseTable(text: string): ReadonlyMap<string, Color> {
  return new Map(
    text.split(/\s+/).map((pair): [string, Color] => {
      const [name = "", digits = ""] = pair.split("=");
      return [name, `#${digits}`];
    }),
  );
}

/** The palette of badge-maker 6, the renderer of shields.io. Some colors have several names. */
export const SHIELDS_COLORS: ReadonlyMap<string, Color> = parseTable(
  `brightgreen=4b0 green=67ac09 yellow=d8b800 yellowgreen=95991a orange=ea7233 red=dd4343
    blue=007ec6 grey=555 gray=555 lightgrey=939393 lightgray=939393 critical=dd4343
    important=ea7233 success=4b0 informational=007ec6 inactive=939393`,
);

/** The named colors of CSS Color Module Level 4, section 6.1 (148 names). */
export const CSS_COLORS: ReadonlyMap<string, Color> = parseTable(
  `aliceblue=f0f8ff antiquewhite=faebd7 aqua=00ffff aquamarine=7fffd4 azure=f0ffff beige=f5f5dc
    bisque=ffe4c4 black=000000 blanchedalmond=ffebcd blue=0000ff blueviolet=8a2be2 brown=a52a2a
    burlywood=deb887 cadetblue=5f9ea0 chartreuse=7fff00 chocolate=d2691e coral=ff7f50
    cornflowerblue=6495ed cornsilk=fff8dc crimson=dc143c cyan=00ffff darkblue=00008b
    darkcyan=008b8b darkgoldenrod=b8860b darkgray=a9a9a9 darkgreen=006400 darkgrey=a9a9a9
    darkkhaki=bdb76b darkmagenta=8b008b darkolivegreen=556b2f darkorange=ff8c00 darkorchid=9932cc
    darkred=8b0000 darksalmon=e9967a darkseagreen=8fbc8f darkslateblue=483d8b darkslategray=2f4f4f
    darkslategrey=2f4f4f darkturquoise=00ced1 darkviolet=9400d3 deeppink=ff1493 deepskyblue=00bfff
    dimgray=696969 dimgrey=696969 dodgerblue=1e90ff firebrick=b22222 floralwhite=fffaf0
    forestgreen=228b22 fuchsia=ff00ff gainsboro=dcdcdc ghostwhite=f8f8ff gold=ffd700
    goldenrod=daa520 gray=808080 green=008000 greenyellow=adff2f grey=808080 honeydew=f0fff0
    hotpink=ff69b4 indianred=cd5c5c indigo=4b0082 ivory=fffff0 khaki=f0e68c lavender=e6e6fa
    lavenderblush=fff0f5 lawngreen=7cfc00 lemonchiffon=fffacd lightblue=add8e6 lightcoral=f08080
    lightcyan=e0ffff lightgoldenrodyellow=fafad2 lightgray=d3d3d3 lightgreen=90ee90
    lightgrey=d3d3d3 lightpink=ffb6c1 lightsalmon=ffa07a lightseagreen=20b2aa lightskyblue=87cefa
    lightslategray=778899 lightslategrey=778899 lightsteelblue=b0c4de lightyellow=ffffe0
    lime=00ff00 limegreen=32cd32 linen=faf0e6 magenta=ff00ff maroon=800000 mediumaquamarine=66cdaa
    mediumblue=0000cd mediumorchid=ba55d3 mediumpurple=9370db mediumseagreen=3cb371
    mediumslateblue=7b68ee mediumspringgreen=00fa9a mediumturquoise=48d1cc mediumvioletred=c71585
    midnightblue=191970 mintcream=f5fffa mistyrose=ffe4e1 moccasin=ffe4b5 navajowhite=ffdead
    navy=000080 oldlace=fdf5e6 olive=808000 olivedrab=6b8e23 orange=ffa500 orangered=ff4500
    orchid=da70d6 palegoldenrod=eee8aa palegreen=98fb98 paleturquoise=afeeee palevioletred=db7093
    papayawhip=ffefd5 peachpuff=ffdab9 peru=cd853f pink=ffc0cb plum=dda0dd powderblue=b0e0e6
    purple=800080 rebeccapurple=663399 red=ff0000 rosybrown=bc8f8f royalblue=4169e1
    saddlebrown=8b4513 salmon=fa8072 sandybrown=f4a460 seagreen=2e8b57 seashell=fff5ee
    sienna=a0522d silver=c0c0c0 skyblue=87ceeb slateblue=6a5acd slategray=708090 slategrey=708090
    snow=fffafa springgreen=00ff7f steelblue=4682b4 tan=d2b48c teal=008080 thistle=d8bfd8
    tomato=ff6347 turquoise=40e0d0 violet=ee82ee wheat=f5deb3 white=ffffff whitesmoke=f5f5f5
    yellow=ffff00 yellowgreen=9acd32`,
);
