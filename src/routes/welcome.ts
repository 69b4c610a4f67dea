import { acceptsGzip, asksForPage } from "../http/accept.ts";
import type { AccessLevel } from "../auth/access.ts";
import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, READ } from "../http/endpoint.ts";
import { gzip } from "../http/kept_text.ts";
import { parseQuery } from "../http/query.ts";
import type { Readers } from "../http/readers.ts";
import type { PageParts } from "../page/compose.ts";

/** `GET /`: for a browser the page, for everybody else what this service is, in plain text. */
export function welcome(
  endpoints: () => Promise<readonly Endpoint[]>,
  { readers }: { readers: Readers },
): Endpoint {
  const sharing = { cacheControl: "no-cache", audience: "none" } as const;
  const inWords = {
    ...headersOf("text", sharing),
    "referrer-policy": "no-referrer",
    vary: "Accept",
  };
  return {
    path: "/",
    methods: READ,
    summary: "Build a badge and see your counters; for who wants no page: the list of endpoints",
    parameters: [],
    admits: "anyone",
    audience: "none",
    errors: "json",
    async work() {
      const { composePage } = await import("../page/compose.ts");
      const { factsOf } = await import("../page/facts.ts");
      const list = await endpoints();
      const facts = factsOf(list, readers.areAnyone);
      const { html, policy } = await composePage(await loadParts(), facts);
      const packed = await gzip(html);
      const words = welcomeText(list);
      const plain = {
        ...headersOf("html", sharing),
        "content-security-policy": policy,
        vary: "Accept, Accept-Encoding",
      };
      return {
        handle(request) {
          parseQuery(request.url, new Set());
          if (!asksForPage(request)) return answer(words, inWords);
          if (!acceptsGzip(request)) return answer(html, plain);
          return answer(packed, { ...plain, "content-encoding": "gzip" });
        },
      };
    },
  };
}

async function loadParts(): Promise<PageParts> {
  const [html, css, script] = await Promise.all([
    import("../page/page.html", { with: { type: "text" } }),
    import("../page/page.css", { with: { type: "text" } }),
    import("../page/page.js", { with: { type: "text" } }),
  ]);
  return { html: html.default, css: css.default, script: script.default };
}

function welcomeText(endpoints: readonly Endpoint[]): string {
  const longest = Math.max(...endpoints.map(({ path }) => path.length));
  const lines = endpoints.map(({ methods, path, summary, admits }) => {
    const told = methods.filter((method) => method !== "HEAD" && method !== "OPTIONS").join(", ");
    return `  ${told.padEnd(9)}  ${path.padEnd(longest)}  ${summary}${NEEDS[admits]}`;
  });
  return `Tallymark: hit counters and badges\n\n${lines.join("\n")}\n`;
}

/** What a person has to know who wants to be admitted. */
const NEEDS: Record<AccessLevel, string> = {
  anyone: "",
  reader: "",
  keyholder: " (with the secret or the key of the counter)",
  owner: " (with the secret)",
  secretholder: " (with the secret)",
};
