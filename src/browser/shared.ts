/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { chart } from "./script/history_chart.ts";
import { byId, errorMessage, fill, grouped, here, make } from "./script/elements.ts";
import { DAY_MS, dayNumber, figuresOf, fullDay, YEAR } from "./script/figures.ts";
import { imageSnippets, inHtml, queryOf, snippetBox } from "./script/snippets.ts";
import { describe, summary } from "./script/summary.ts";

/** The response of `/p.json`. */
interface SharedData {
  prefix: string;
  total: number;
  since: string | null;
  older: number;
  days: { day: string; hits: number }[];
  counters: { id: string; hits: number }[];
}

const given = new URLSearchParams(location.search);
const query = queryOf(["prefix", "key"].map((name) => [name, given.get(name) ?? ""]));
const isEmbedded = given.get("embed") === "1";
const main = byId("shared");

async function load(): Promise<SharedData> {
  const response = await fetch(new URL(`p.json${location.search}`, here)).catch(() => {
    throw new Error("The server cannot be reached.");
  });
  const data = await response.json().catch(() => ({}));
  if (response.ok) return data;
  throw new Error(data.detail ?? `The server returned ${response.status}.`);
}

function show({ prefix, total, since, older, days, counters }: SharedData) {
  const today = dayNumber(days.at(-1)?.day ?? "") || Math.floor(Date.now() / DAY_MS);
  const byDay = Object.fromEntries(days.map(({ day, hits }) => [day, hits]));
  const sum = figuresOf({ id: prefix, hits: total, days: byDay }, today, YEAR);
  const views = chart("All counters", 240, "90d", () => undefined);
  const facts = make("p.facts");
  fill(
    main,
    make(".head", make("h1", { dir: "auto" }, prefix)),
    make(
      "section.panel",
      { "aria-label": "All counters" },
      make("dl.figures", ...summary(sum, beginning(since, older))),
      views.element,
    ),
    make(".panel.more", facts, calendar(prefix)),
    ranking(prefix, counters),
    !isEmbedded && sharing(prefix),
    isEmbedded && make("p.small", make("a", { href: `p?${query}`, target: "_blank" }, "Open page")),
  );
  describe(facts, sum, today, { days: byDay, since: since ?? undefined });
  views.show(sum.days, today);
}

/** Returns the day from which on the total was counted, or how much of it is older. */
function beginning(since: string | null, older: number) {
  if (since === null) return " ";
  const day = fullDay(dayNumber(since));
  return older > 0 ? `${grouped(older)} before ${day}` : `since ${day}`;
}

/** Scrolls on narrow pages, because a calendar that fits a phone could not be read. */
function calendar(prefix: string) {
  const image = make("img", { alt: `Views of ${prefix}, each day of the last year` });
  image.src =
    new URL(`calendar.svg?${query}&theme=auto&${queryOf([["label", prefix]])}`, here).href;
  const box = make(".wide-image", { tabindex: 0, role: "group", "aria-label": "Calendar" }, image);
  image.addEventListener("load", () => box.scrollLeft = box.scrollWidth);
  return box;
}

function ranking(prefix: string, counters: SharedData["counters"]) {
  const most = counters[0]?.hits || 1;
  const rows = counters.map(({ id, hits }) => {
    const name = make(".id", make("bdi", { title: id }, id.slice(prefix.length) || id));
    name.style.setProperty("--share", `${100 * hits / most}%`);
    return make("tr", make("th", { scope: "row" }, name), make("td", grouped(hits)));
  });
  const head = ["Counter", "Total"].map((name) => make("th", { scope: "col" }, name));
  return make(
    ".panel.more",
    make("h2", "Most read"),
    counters.length === 0
      ? make("p", "No counters yet.")
      : make("table.counters", make("thead", make("tr", ...head)), make("tbody", ...rows)),
  );
}

/** Shows the lines to embed the page, and its preview image. */
function sharing(prefix: string) {
  const page = new URL(`p?${query}`, here).href;
  const { HTML } = imageSnippets(new URL(`preview.png?${query}`, here).href, `views of ${prefix}`);
  const Embed =
    `<iframe src="${inHtml(`${page}&embed=1`)}" title="${inHtml(`Views of ${prefix}`)}"` +
    ` width="100%" height="1300" style="border:0" referrerpolicy="no-referrer"></iframe>`;
  const Image = `<a href="${inHtml(page)}">${HTML}</a>`;
  const origins = document.querySelector<HTMLMetaElement>("[name=embed-origins]")?.content;
  return make(
    ".panel.more",
    make("h2", "Share"),
    ...snippetBox("paste", { Embed, Image, Link: page }, "Embed", () => "Copy"),
    make(
      "p.small",
      origins
        ? `Embedding works on ${origins.replaceAll(" ", ", ")}.`
        : "Embedding is off until the owner sets EMBED_ORIGINS. The image and the link work everywhere.",
    ),
  );
}

if (isEmbedded) document.querySelector<HTMLElement>(".top")?.remove();
load().then(show, (error) => fill(main, make("p.note", { role: "alert" }, errorMessage(error))));
