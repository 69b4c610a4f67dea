import { loadOnce } from "../http/lazy.ts";
import { Recent } from "../recent.ts";

/** What a `User-Agent` says of who calls; an image proxy fetches images for its readers. */
export type AgentKind = "reader" | "crawler" | "image proxy";

/** Tells user agents apart. */
export interface UserAgents {
  /** At once for one that came before; the first has to wait for the patterns of crawlers. */
  kindOf(agent: string): AgentKind | Promise<AgentKind>;
  /** Loads these patterns. */
  preload(): Promise<void>;
}

/** GitHub's and others of its kind, and those of mail providers; `isbot` takes them for crawlers. */
const IMAGE_PROXY = /\bcamo\b|GoogleImageProxy|YahooMailProxy/i;
/** How many user agents are remembered for sure. */
const REMEMBERED = 1000;
/** Characters; longer ones are rare, and would let anyone fill the memory. */
const MAX_REMEMBERED_LENGTH = 300;
/** Characters of an agent that are looked at, as each of two hundred patterns is tried at each of them. */
const MAX_READ_LENGTH = 1000;

export function createUserAgents(): UserAgents {
  const known = new Recent<string, AgentKind>(REMEMBERED);
  const load = loadOnce(() => import("isbot"));

  async function recognize(agent: string): Promise<AgentKind> {
    const { isbot } = await load();
    const read = agent.slice(0, MAX_READ_LENGTH);
    const kind = IMAGE_PROXY.test(read) ? "image proxy" : isbot(read) ? "crawler" : "reader";
    if (agent.length <= MAX_REMEMBERED_LENGTH) known.set(agent, kind);
    return kind;
  }

  return {
    kindOf: (agent) => known.get(agent) ?? recognize(agent),
    async preload() {
      await load();
    },
  };
}
