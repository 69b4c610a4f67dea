import { weekdayIndex } from "../chart/bars.ts";
import { type Day, formatDay, parseDay } from "../domain/history.ts";
import { createRevalidated } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { inHtml } from "../http/response.ts";
import { bodies, operation, revalidated, STORE_PROBLEMS } from "../openapi/responses.ts";
import { readRange } from "../read_counter.ts";
import type { Service } from "../service.ts";

/** Maximum number of days that a feed is computed from: ten years. */
const MAX_DAYS = 3660;
/** Maximum number of entries. The latest ones are listed. */
const MAX_ENTRIES = 60;
/** The lowest number of views that is a milestone. */
const FIRST_MILESTONE = 100;

/** An entry: what happened, and the day of it. */
interface News {
  /** The part of its id that no other entry of the feed has. */
  readonly name: string;
  readonly day: Day;
  readonly title: string;
}

/** `GET /feed.atom`: the milestones and weeks of a counter or a group, for feed readers. */
export function feed({ counters, readPolicy }: Service): Endpoint {
  const feeds = createRevalidated(readPolicy, "atom");
  return endpoint("counter or prefix", {
    summary: "Read milestones and weeks as an Atom feed",
    description: "An entry for each milestone (100, 200, 500, 1,000, …) on the day on which it " +
      "was passed, and for each finished week. Milestones of an unknown day are left out.",
    async respond({ request, id, isPrefix, grant }) {
      const last = counters.calendar.today();
      const range = { first: last - MAX_DAYS + 1, last };
      const firstWeek = last - weekdayIndex(last) - 7 * MAX_ENTRIES;
      // Both of a group are found in one pass over its counters.
      const [{ days, older }, leaders] = await Promise.all([
        readRange(counters, { id, isPrefix, grant }, range),
        isPrefix ? counters.groups.leaders(id, firstWeek, grant === "secret") : new Map(),
      ]);
      const known = days.map(({ day, hits }) => ({ day: parseDay(day) ?? 0, hits }));
      const news = [...milestonesOf(known, older), ...weeksOf(known, last, leaders)]
        .toSorted((one, other) => other.day - one.day).slice(0, MAX_ENTRIES);
      const text = feedOf(`${isPrefix ? "group" : "counter"}:${encodeURIComponent(id)}`, id, {
        links: linksOf(new URL(request.url).searchParams, isPrefix),
        timeOf: timesIn(counters.calendar.timeZone),
        news,
      });
      return feeds.respond(feeds.withHeaders(text), request);
    },
    openapi: operation(
      "Counters",
      "Feed",
      revalidated("The feed, the latest entry first.", bodies.atom),
      STORE_PROBLEMS,
    ),
  });
}

type KnownDays = readonly { readonly day: Day; readonly hits: number }[];

/** Returns the milestones that were passed on known days. */
function milestonesOf(days: KnownDays, older: number): News[] {
  const news: News[] = [];
  let total = older;
  for (const { day, hits } of days) {
    const before = total;
    total += hits;
    for (let power = FIRST_MILESTONE; power <= total; power *= 10) {
      for (const milestone of [power, 2 * power, 5 * power]) {
        if (milestone <= before || milestone > total) continue;
        news.push({ name: `${milestone}`, day, title: `${numberIn(milestone)} views` });
      }
    }
  }
  return news;
}

/**
 * Returns the weeks from Monday to Sunday that are over and known, on the Monday after each.
 * `leaders` has the most read counter of each.
 */
function weeksOf(
  days: KnownDays,
  today: Day,
  leaders: ReadonlyMap<Day, { readonly id: string }>,
): News[] {
  const news: News[] = [];
  let before: number | undefined;
  for (let index = 0; index + 7 <= days.length; index++) {
    const monday = days[index]?.day ?? 0;
    if (weekdayIndex(monday) > 0 || monday + 7 > today) continue;
    const views = days.slice(index, index + 7).reduce((sum, { hits }) => sum + hits, 0);
    const percent = before ? Math.round((views / before - 1) * 100) : undefined;
    const change = percent === undefined ? "" : ` (${percent < 0 ? "" : "+"}${percent} %)`;
    const date = formatDay(monday);
    const leader = leaders.get(monday);
    const most = leader ? `, most read: ${leader.id}` : "";
    const title = `${numberIn(views)} views in the week of ${date}${change}${most}`;
    news.push({ name: `week-${date}`, day: monday + 7, title });
    before = views;
  }
  return news;
}

/** Returns the links of a feed to itself and to the page of its group, for the same reader. */
function linksOf(query: URLSearchParams, isPrefix: boolean): string {
  // Other parameters may hold the secret.
  const kept = [...query].filter(([name]) => ["id", "prefix", "key"].includes(name));
  const search = inHtml(`${new URLSearchParams(kept)}`);
  return `<link rel="self" href="feed.atom?${search}"/>` +
    (isPrefix ? `<link href="p?${search}"/>` : "");
}

/** Returns a function that formats midnight at the beginning of a day, with its offset from UTC. */
function timesIn(timeZone: string): (day: Day) => string {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  return (day) => {
    const parts = format.formatToParts(day * 86_400_000);
    const offset = parts.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "");
    return `${formatDay(day)}T00:00:00${offset || "Z"}`;
  };
}

/** Composes a feed (RFC 4287). Its ids do not depend on the address of the service. */
function feedOf(
  name: string,
  subject: string,
  { links, timeOf, news }: { links: string; timeOf: (day: Day) => string; news: readonly News[] },
): string {
  const entries = news.map(({ name: entry, day, title }) =>
    `<entry><id>urn:tallymark:${name}:${entry}</id>` +
    `<title>${inHtml(subject)}: ${inHtml(title)}</title><updated>${timeOf(day)}</updated>` +
    `<content type="text">${inHtml(title)}</content></entry>\n`
  );
  return `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">` +
    `<id>urn:tallymark:${name}</id><title>Views of ${inHtml(subject)}</title>${links}` +
    `<author><name>Tallymark</name></author><updated>${timeOf(news[0]?.day ?? 0)}</updated>\n` +
    `${entries.join("")}</feed>\n`;
}

function numberIn(number: number): string {
  return number.toLocaleString("en-US");
}
