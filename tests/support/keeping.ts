import { dayText, type Numbers } from "./external_sources.ts";
import { startLocalService } from "./local_service.ts";
import { authorized, SECRET } from "./secret.ts";
import { TIME_ZONE } from "./time_zones.ts";

const DAY_MS = 86_400_000;

/** Names of all sources, as KEEP has them. */
export const ALL = [
  "github-traffic o/r, github-stars o/r",
  "github-downloads o/r, npm @s/n",
  "pypi n, crates n, docker o/r, vscode p.n",
].join("\n");

/** Returns numbers that differ from source to source. */
export function someNumbers(): Numbers {
  const [day = "", before = ""] = [1, 2].map((days) => dayText(Date.now() - days * DAY_MS));
  const twoDays = (one: number, other: number) => new Map([[before, one], [day, other]]);
  return {
    stars: twoDays(40, 2),
    views: twoDays(7, 8),
    releases: [[100, 20], [], [3]],
    npm: twoDays(11, 12),
    pypi: twoDays(13, 14),
    crates: { newest: twoDays(15, 16), others: twoDays(100, 200) },
    pulls: 126,
    installs: 77,
  };
}

/** Starts a service that a source is kept in. */
export function startTallymark() {
  return startLocalService({ SECRET_TOKEN: SECRET, TIME_ZONE });
}

/** A line of an export. */
export interface Line {
  id: string;
  hits: number;
  days?: Record<string, number>;
  seen?: number;
}

/** Returns a counter with its days. */
export async function counter(url: string, id: string): Promise<Line> {
  const response = await fetch(`${url}/counters?id=${id}`, { headers: authorized });
  return await response.json();
}

/** Returns all ids and totals. */
export async function totals(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/counters`, { headers: authorized })).text();
  const lines: Line[] = text.trim().split("\n").slice(0, -1).map((line) => JSON.parse(line));
  return Object.fromEntries(lines.map(({ id, hits }) => [id, hits]));
}
