import { deepStrictEqual } from "node:assert/strict";
import type { Download, Page } from "playwright-core";
import { createCalendar } from "../../src/domain/calendar.ts";
import { formatDay } from "../../src/domain/history.ts";
import { importLines as importBody } from "./import_lines.ts";
import type { ServiceAddress } from "./local_service.ts";
import { authorized, SECRET } from "./secret.ts";
import { TIME_ZONE } from "./time_zones.ts";
import { type PageTest, type PageTestOptions, testPage } from "./web_page.ts";

/** A line of `/counters`. */
export interface CounterLine {
  readonly id: string;
  readonly hits: number;
  readonly days?: Readonly<Record<string, number>>;
}

/** Tests the page of a service that holds these counters, opened by a link that signs in. */
export function testOwner(
  name: string,
  lines: readonly CounterLine[],
  test: (at: PageTest) => Promise<void>,
  options: Partial<PageTestOptions> = {},
): void {
  const env = { SECRET_TOKEN: SECRET, ...options.env };
  const prepare = (service: ServiceAddress) => importLines(service, lines);
  const path = `/#sign-in=${SECRET}`;
  testPage(name, { ...options, env, prepare, path }, async (at) => {
    await at.page.getByText(/^as of |^No counters yet$/).locator("visible=true").waitFor();
    await test(at);
  });
}

/** Puts counters into a service. */
export async function importLines(
  { url }: ServiceAddress,
  lines: readonly CounterLine[],
): Promise<void> {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  deepStrictEqual(await importBody(url, [body]), {
    status: 200,
    json: { counters: lines.length },
  });
}

/** Signs in, from any view. */
export async function signIn(page: Page, secret = SECRET): Promise<void> {
  const button = page.getByRole("button", { name: "Sign in" });
  if (!await page.getByLabel("Secret").isVisible()) await button.click();
  await page.getByLabel("Secret").fill(secret);
  await button.click();
}

/** The ids in the table, from top to bottom; of groups their prefix. */
export function idsOf(page: Page): Promise<string[]> {
  return page.locator(".counters tbody .opener").evaluateAll((openers) =>
    openers.map((opener) => opener.getAttribute("title") ?? "")
  );
}

/**
 * Opens the row of a counter, or closes it. The end of a refresh draws the rows again, and a click
 * that began on an old row would be lost.
 */
export async function openRow(page: Page, id: string): Promise<void> {
  await refreshed(page);
  await page.getByTitle(id, { exact: true }).click();
}

/** Resolves when the counters are not being loaded. */
export async function refreshed(page: Page): Promise<void> {
  await page.locator("[aria-label=Refresh]:not([aria-busy])").waitFor();
}

/** The number of a counter, as the service tells it to its owner. */
export async function countOf({ url }: ServiceAddress, id: string): Promise<string> {
  const query = new URLSearchParams({ id });
  const answer = await fetch(`${url}/count.txt?${query}`, { headers: authorized });
  return await answer.text();
}

/** The day so many days ago, where the service counts. */
export function dayAgo(days: number): string {
  return formatDay(createCalendar(TIME_ZONE).today() - days);
}

/** Counts three views of a counter. */
export async function hitThrice({ url }: ServiceAddress, id: string): Promise<void> {
  for (let time = 0; time < 3; time++) {
    const hit = `${url}/hit?id=${encodeURIComponent(id)}`;
    await (await fetch(hit, { method: "POST", headers: authorized })).body?.cancel();
  }
}

/** The lines of a file that the page saved. */
export async function savedLines(download: Download): Promise<unknown[]> {
  const text = await Deno.readTextFile(await download.path());
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}
