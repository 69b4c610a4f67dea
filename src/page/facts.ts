import type { RoutedEndpoint } from "../http/endpoint.ts";
import type { Parameter } from "../parameter.ts";

/** What the page knows of the service; all its controls are made from this. */
export interface PageFacts {
  /** What may stand in the query of a picture, beside the counter, by the path of the picture. */
  readonly pictures: Readonly<Record<string, readonly Pick<Parameter, "name" | "schema">[]>>;
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
      .flatMap(({ parameters }) => parameters.filter(({ name }) => !NO_LOOKS.includes(name)))
      .map(({ name, schema }) => ({ name, schema }));
  const namesOf = (path: string) => looksOf(path).map(({ name }) => name);
  const pictures = PICTURES.filter(has);
  return {
    pictures: Object.fromEntries(pictures.map((path) => [path.slice(1), looksOf(path)])),
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
