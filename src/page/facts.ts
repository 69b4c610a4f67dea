import type { RoutedEndpoint } from "../http/endpoint.ts";
import type { ParameterSchema } from "../http/query.ts";

/** What a control of the page needs to know of a parameter. */
type Control = Pick<ParameterSchema, "default" | "enum" | "minimum" | "maximum" | "maxLength">;

/** What the page knows of the service; all its controls are made from this. */
export interface PageFacts {
  /** The names of what may stand in the query of a picture, beside the counter, by the path of the picture. */
  readonly pictures: Readonly<Record<string, readonly string[]>>;
  /** What they may be, as the first of the pictures has them. */
  readonly controls: Readonly<Record<string, Control>>;
  /** The defaults that are others in another picture. */
  readonly defaults: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  /** The pictures of which there is a sample. */
  readonly samples: readonly string[];
  /** The names of what a counting image may be told. */
  readonly counting: readonly string[];
  /** The names of what shields.io may be told. */
  readonly shields: readonly string[];
  /** The styles in which nothing is seen of a parameter. */
  readonly unknown: Readonly<Record<string, readonly string[]>>;
  /** Whether pictures can be seen without the secret. */
  readonly openReads: boolean;
}

/** The facts of a service with these endpoints. */
export function factsOf(endpoints: readonly RoutedEndpoint[], openReads: boolean): PageFacts {
  const has = (path: string) => endpoints.some((endpoint) => endpoint.path === path);
  const looksOf = (path: string) =>
    endpoints.filter((endpoint) => endpoint.path === path)
      .flatMap(({ parameters }) => parameters.filter(({ name }) => !NO_LOOKS.includes(name)));
  const namesOf = (path: string) => looksOf(path).map(({ name }) => name);
  const pictures = PICTURES.filter(has);
  const controls: Record<string, Control> = {};
  const defaults: Record<string, Record<string, string | number>> = {};
  for (const path of pictures) {
    const own: Record<string, string | number> = {};
    for (const { name, schema } of looksOf(path)) {
      const { type: _, ...control } = schema;
      const known = controls[name] ??= control;
      if (schema.default !== undefined && schema.default !== known.default) {
        own[name] = schema.default;
      }
    }
    if (Object.keys(own).length > 0) defaults[path.slice(1)] = own;
  }
  return {
    pictures: Object.fromEntries(pictures.map((path) => [path.slice(1), namesOf(path)])),
    controls,
    defaults,
    samples: pictures.filter((path) => has(`/sample${path}`)).map((path) => path.slice(1)),
    counting: namesOf("/hit.svg"),
    shields: namesOf("/badge.json"),
    unknown: UNKNOWN,
    openReads,
  };
}

const PICTURES = ["/badge", "/chart.svg", "/calendar.svg", "/card.svg"];

/** What says which counters are shown and to whom, and not how. */
const NO_LOOKS = ["id", "prefix", "once", "visitor", "key", "token"];

const SHIELDS = ["classic", "flat", "flat-square", "plastic", "for-the-badge"];
const WORDLESS = ["odometer", "flap", "led"];
const DIGITS = [...WORDLESS, "pixel"];

/** The styles in which nothing is seen of a parameter. */
const UNKNOWN: PageFacts["unknown"] = {
  label: WORDLESS,
  bg: [...SHIELDS, "social", ...WORDLESS],
  labelColor: WORDLESS,
  valueColor: SHIELDS,
  font: DIGITS,
  numbers: DIGITS,
  locale: DIGITS,
  theme: ["social", ...DIGITS],
  spark: ["plastic", "for-the-badge", "social", ...DIGITS],
  logo: ["terminal", ...DIGITS],
  logoColor: ["terminal", ...DIGITS],
  digits: [...SHIELDS, "social", "pill", "terminal"],
};
