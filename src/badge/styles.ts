import type { Parameter } from "../http/query.ts";
import { BADGE_PARAMETERS, type LookName, type LookQuery } from "./parameters.ts";
import { flap, led, odometer } from "./styles/digits.ts";
import { pill } from "./styles/pill.ts";
import { pixel } from "./styles/pixel.ts";
import { classic, flatSquare, forTheBadge, plastic } from "./styles/shields.ts";
import { social } from "./styles/social.ts";
import type { Style } from "./styles/style.ts";
import { terminal } from "./styles/terminal.ts";

/** Every style, in the order of the documentation. */
const LIST: readonly Style[] = [
  ...[classic, flatSquare, plastic, forTheBadge, social, pill, terminal, odometer, flap, led],
  pixel,
];

/** Every style by each of its names. */
export const STYLES: ReadonlyMap<string, Style> = new Map(
  LIST.flatMap((style) => style.names.map((name) => [name, style] as const)),
);

/** Returns the style that a query asks for, or the default one. */
export function parseStyle(query: LookQuery<"style">): Style {
  return STYLES.get(query.get("style") ?? "") ?? classic;
}

const style: Parameter<"style"> = {
  name: "style",
  meaning: "The style. `flat` is another name for `classic`.",
  schema: { type: "string", default: classic.names[0], enum: [...STYLES.keys()] },
};

const { label, ...others } = BADGE_PARAMETERS;

/** Everything that shapes a badge; invalid values fall back to the default. */
export const BADGE_PARAMETER_LIST: readonly Parameter<LookName>[] = Object.freeze([
  ...[withStyles(label), style],
  ...Object.values(others).map(withStyles),
]);

/** Returns a parameter whose meaning names the styles in which it has an effect, unless all do. */
function withStyles(parameter: Parameter<LookName>): Parameter<LookName> {
  const { name, meaning } = parameter;
  const [without = [], only = []] = [true, false].map((ignored) =>
    LIST.filter(({ ignores }) => ignores.includes(name) === ignored)
  );
  if (without.length === 0) return parameter;
  const isExcluding = without.length < only.length;
  const names = (isExcluding ? without : only).map(({ names }) => `\`${names[0]}\``);
  return {
    ...parameter,
    meaning: `${meaning} ${isExcluding ? "Not" : "Only"} in ${names.join(", ")}.`,
  };
}
