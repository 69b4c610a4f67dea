import type { RoutedEndpoint } from "../http/endpoint.ts";
import type { Parameter } from "../parameter.ts";

/** What the page knows of the service; all its controls are made from this. */
export interface PageFacts {
  /** What may stand in the query of a picture, beside the counter, by the path of the picture. */
  readonly pictures: Readonly<Record<string, readonly Parameter[]>>;
  /** The names of what a counting image may be told. */
  readonly counting: readonly string[];
  /** The names of what shields.io may be told. */
  readonly shields: readonly string[];
  /** Whether pictures can be seen without the secret. */
  readonly openReads: boolean;
}

/** The facts of a service with these endpoints. */
export function factsOf(endpoints: readonly RoutedEndpoint[], openReads: boolean): PageFacts {
  const looksOf = (path: string) =>
    endpoints.filter((endpoint) => endpoint.path === path)
      .flatMap(({ parameters }) => parameters.filter(({ name }) => name !== "id"));
  const namesOf = (path: string) => looksOf(path).map(({ name }) => name);
  const shown = PICTURES.filter((path) => endpoints.some((endpoint) => endpoint.path === path));
  return {
    pictures: Object.fromEntries(shown.map((path) => [path.slice(1), looksOf(path)])),
    counting: namesOf("/hit.svg"),
    shields: namesOf("/badge.json"),
    openReads,
  };
}

const PICTURES = ["/badge", "/chart.svg"];
