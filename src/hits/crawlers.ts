import { loadOnce } from "../http/lazy.ts";
import { Recent } from "../recent.ts";

/** An image proxy fetches images for readers whom it hides. */
export type AgentKind = "reader" | "crawler" | "image proxy";

export interface UserAgents {
  /** At once for a `User-Agent` that was seen recently, otherwise after loading the patterns of crawlers. */
  kindOf(agent: string): AgentKind | Promise<AgentKind>;
  /** Loads these patterns. */
  preload(): Promise<void>;
}

/** GitHub's image proxy and similar ones, and those of mail providers; `isbot` takes them for crawlers. */
const IMAGE_PROXY = /\bcamo\b|GoogleImageProxy|YahooMailProxy/i;
/** At least so many user agents are remembered. */
const REMEMBERED = 1000;
/** Characters. Longer ones are rare, and anyone could fill the memory with them. */
const MAX_REMEMBERED_LENGTH = 300;
/** Characters. The rest is ignored: two hundred patterns are tried at each character. */
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
