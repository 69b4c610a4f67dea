import { Recent } from "../recent.ts";

/** Who calls, by what they say of themselves: somebody, a crawler, or a proxy that fetches images for its readers. */
export type CallerKind = "somebody" | "crawler" | "image proxy";

/** What tells it. */
export interface CallerKinds {
  /** By a `User-Agent`; the first answer has to wait for the patterns of crawlers. */
  kindOf(agent: string): CallerKind | Promise<CallerKind>;
  /** Loads these patterns. */
  load(): Promise<void>;
}

/** GitHub's and others of its kind, and those of mail providers; `isbot` takes them for crawlers. */
const IMAGE_PROXY = /\bcamo\b|GoogleImageProxy|YahooMailProxy/i;
/** How many user agents are remembered for sure. */
const REMEMBERED = 1000;
/** Characters; longer ones are rare, and would let anyone fill the memory. */
const MAX_REMEMBERED_LENGTH = 300;
/** Characters of an agent that are looked at, as each of two hundred patterns is tried at each of them. */
const MAX_READ_LENGTH = 1000;

/** Tells who calls, and remembers what it told. */
export function createCallerKinds(): CallerKinds {
  const kinds = new Recent<string, CallerKind>(REMEMBERED);

  async function tell(agent: string): Promise<CallerKind> {
    const { isbot } = await import("isbot");
    const read = agent.slice(0, MAX_READ_LENGTH);
    const kind = IMAGE_PROXY.test(read) ? "image proxy" : isbot(read) ? "crawler" : "somebody";
    if (agent.length <= MAX_REMEMBERED_LENGTH) kinds.set(agent, kind);
    return kind;
  }

  return {
    kindOf: (agent) => kinds.get(agent) ?? tell(agent),
    async load() {
      await tell("");
    },
  };
}
