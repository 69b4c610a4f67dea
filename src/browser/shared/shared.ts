/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { DAY_MS } from "../../chart/bars.ts";
import { short } from "../lib/cells.ts";
import { base, here } from "../lib/browser.ts";
import { choice } from "../lib/choice.ts";
import { byId, fill, make, tableOf } from "../lib/make.ts";
import { errorMessage, grouped, timeText } from "../lib/words.ts";
import { dayNumber, figuresOf, fullDay, YEAR } from "../lib/figures.ts";
import { chart } from "../lib/history_chart.ts";
import { imageSnippets, inHtml, queryOf, snippetBox } from "../lib/snippets.ts";
import { askForSession, isSignedIn } from "../owner/sign_in/session_store.ts";
import { summary } from "../lib/summary.ts";

/** The response of `/p.json`. */
interface SharedData {
  prefix: string;
  total: number;
  since: string | null;
  older: number;
  timeZone: string;
  days: { day: string; hits: number }[];
  counters: { id: string; hits: number }[];
}

/** Number of counters in an embedded page. */
const EMBEDDED_COUNTERS = 5;

const given = new URLSearchParams(location.search);
const keep = (...names: string[]) => queryOf([...given].filter(([name]) => names.includes(name)));
const query = keep("prefix", "key", "title");
const isEmbedded = given.get("embed") === "1";
const main = byId("shared");

async function load(): Promise<SharedData> {
  const response = await fetch(new URL(`p.json?${keep("prefix", "key")}`, here)).catch(() => {
    throw new Error("The server cannot be reached.");
  });
  const data = await response.json().catch(() => ({}));
  if (response.ok) return data;
  throw new Error(data.detail ?? `The server returned ${response.status}.`);
}

function show({ prefix, total, since, older, timeZone, days, counters }: SharedData) {
  // The title of the document is that of the page, in front of the name of the service.
  const title = document.title.replace(/ · Tallymark$/, "");
  const today = dayNumber(days.at(-1)?.day ?? "") || Math.floor(Date.now() / DAY_MS);
  const byDay = Object.fromEntries(days.map(({ day, hits }) => [day, hits]));
  const sum = figuresOf({ id: prefix, hits: total, days: byDay }, today, YEAR);
  const [name, range] = isEmbedded ? [title, "30d"] as const : ["All counters", "90d"] as const;
  const views = chart(name, range);
  const time = `as of ${timeText(Date.now())} · days in ${timeZone}`;
  const overview = make(
    "section.panel",
    { "aria-label": name },
    make("dl.figures", ...summary(sum, beginning(since, older))),
    views.element,
  );
  const open = make("a", { href: `p?${query}`, target: "_blank" }, "Open page");
  const head = make(".title-head", make("h1", { dir: "auto" }, title), make("p.lead", time));
  /** A card for the owner alone. */
  const shared = make("div");
  fill(
    main,
    ...(isEmbedded
      ? [overview, ranking(prefix, counters.slice(0, EMBEDDED_COUNTERS))]
      : [head, overview, yearOfDays(), ranking(prefix, counters), shared]),
    isEmbedded && make("p.open.small", make("span", time), open),
  );
  views.show(sum.days, today);
  const showOwner = () => fill(shared, sharing(title));
  if (isSignedIn()) showOwner();
  askForSession(showOwner, () => fill(shared));
}

/** Shows a year of days, of which phones have room for the second half. */
function yearOfDays() {
  const pairs = keep("prefix", "key", "theme");
  const { href } = new URL(`calendar.svg?${pairs}${given.has("theme") ? "" : "&theme=auto"}`, here);
  const half = make("source");
  half.media = "(max-width: 640px)";
  half.srcset = `${href}#svgView(viewBox(394,3,350,183))`;
  const image = make("img", { alt: "Calendar of the views of each day" });
  image.src = href;
  return make("picture.year", half, image);
}

/** Returns the day from which on the total was counted, or how much of it is older. */
function beginning(since: string | null, older: number) {
  if (since === null) return " ";
  const day = fullDay(dayNumber(since));
  return older > 0 ? `${short(older)} before ${day}` : `since ${day}`;
}

function ranking(prefix: string, counters: SharedData["counters"]) {
  const rows = counters.map(({ id, hits }) => {
    const name = make(".id", make("bdi", { title: id }, id.slice(prefix.length) || id));
    name.style.setProperty("--views", String(hits));
    return [name, make("span", { title: grouped(hits) }, short(hits))];
  });
  const table = tableOf("table.counters", [["Counter", "th"], ["Total", "td"]], rows);
  table.ariaLabel = "Most read";
  table.style.setProperty("--most", String(counters[0]?.hits || 1));
  return make(
    "section.panel.card",
    { "aria-label": "Most read" },
    !isEmbedded && make("h2", "Most read"),
    counters.length === 0 ? make("p", "No counters yet.") : table,
  );
}

const SITES = ["light or dark", "light", "dark"];
const THEMES = ["", "light", "dark"];

/** Shows its owner the lines to embed the page, and its preview image. */
function sharing(title: string) {
  const origins = document.querySelector<HTMLMetaElement>("[name=embed-origins]")?.content;
  const box = make("div");
  const site = choice("Your site", SITES, 0, (index) => showBox(THEMES[index] ?? ""));
  showBox("");

  function showBox(theme: string) {
    const page = new URL(`p?${query}`, base).href;
    const image = new URL(`preview.png?${keep("prefix", "key")}`, base).href;
    const { HTML } = imageSnippets(image, `views of ${title}`);
    const look = theme === "" ? "" : `&theme=${theme}`;
    const scheme = theme === "" ? "" : `;color-scheme:${theme}`;
    const Embed =
      `<iframe src="${inHtml(`${page}&embed=1${look}`)}" title="${inHtml(`Views of ${title}`)}"` +
      ` width="100%" height="760" style="border:0${scheme}" referrerpolicy="no-referrer"></iframe>`;
    const snippets = { Embed, Image: `<a href="${inHtml(page)}">${HTML}</a>`, Link: page };
    fill(box, ...snippetBox(snippets));
  }

  return make(
    "section.panel.card",
    { "aria-label": "Share" },
    make("h2", "Share"),
    make("p.small", "Only you see this card."),
    make(".line", make("small", "Your site is"), site.element),
    box,
    make(
      "p.small",
      origins
        ? `Embedding works on ${origins.replaceAll(" ", ", ")}.`
        : "Embedding is off until you set EMBED_ORIGINS. The image and the link work everywhere.",
    ),
  );
}

load().then(show, (error) => fill(main, make("p.note", { role: "alert" }, errorMessage(error))));
