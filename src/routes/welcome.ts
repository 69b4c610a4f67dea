import type { AccessLevel } from "../auth/access.ts";
import { acceptsGzip, answer, asksForPage, headersOf } from "../http/answer.ts";
import { gzip } from "../http/conditional.ts";
import { type Endpoint, endpoint, type RoutedEndpoint } from "../http/endpoint.ts";
import { loadOnce } from "../load_once.ts";
import { composePage, factsOf } from "../page/compose.ts";
import css from "../page/page.css" with { type: "text" };
import html from "../page/page.html" with { type: "text" };
import script from "../page/page.min.js" with { type: "text" };
import type { Service } from "./service.ts";

const SHARING = { cacheControl: "no-cache", cors: "none" } as const;

/** `GET /`: for a browser the page, for everybody else what this service is, in plain text. */
export function welcome(
  endpoints: () => Promise<readonly RoutedEndpoint[]>,
  { reads }: Service,
): Endpoint {
  const inWords = {
    ...headersOf("text", SHARING),
    "referrer-policy": "no-referrer",
    vary: "Accept",
  };
  const load = loadOnce(async () => {
    const list = await endpoints();
    const page = await composePage({ html, css, script }, factsOf(list, reads.isPublic));
    const headers = {
      ...headersOf("html", SHARING),
      "content-security-policy": page.policy,
      vary: "Accept, Accept-Encoding",
    };
    return { ...page, packed: await gzip(page.html), headers, words: welcomeText(list) };
  });
  return endpoint({
    summary: "The page with your counters and the badge builder, or this list as text",
    parameters: [],
    errors: "json",
    find: load,
    answer({ html, packed, headers, words }, { request }) {
      if (!asksForPage(request)) return answer(words, inWords);
      if (!acceptsGzip(request)) return answer(html, headers);
      return answer(packed, { ...headers, "content-encoding": "gzip" });
    },
    preload: load,
    describe: ({ bodies, service }) =>
      service("Index", { content: { ...bodies.text, ...bodies.html } }),
  });
}

function welcomeText(endpoints: readonly RoutedEndpoint[]): string {
  const longest = Math.max(...endpoints.map(({ path }) => path.length));
  const lines = endpoints.map(({ methods, path, summary, access }) => {
    const shown = methods.filter((method) => method !== "HEAD" && method !== "OPTIONS").join(", ");
    return `  ${shown.padEnd(9)}  ${path.padEnd(longest)}  ${summary}${NEEDS[access]}`;
  });
  return `Tallymark: hit counters and badges\n\n${lines.join("\n")}\n`;
}

/** The credentials that an endpoint requires, in words. */
const NEEDS: Record<AccessLevel, string> = {
  anyone: "",
  reader: "",
  keyholder: " (with the secret or the key of the counter)",
  family: " (with the secret or the key of the family)",
  owner: " (with the secret)",
  secretholder: " (with the secret)",
};
