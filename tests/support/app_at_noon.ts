import { createCalendar } from "../../src/domain/calendar.ts";
import { memoryApp, type TestApp } from "./app.ts";
import { authorized } from "./secret.ts";

/** An app whose days pass as a test says. */
interface App extends TestApp {
  /** Lets a day pass. */
  tomorrow(): void;
  /** The lines that the owner reads of a counter, or of all. */
  held(query?: string): Promise<string>;
}

/** Opens an app in memory at noon of 2026-11-20, in UTC. */
export async function openAtNoon(options: { openReads?: boolean } = {}): Promise<App> {
  let time = Date.parse("2026-11-20T12:00:00Z");
  const calendar = createCalendar("UTC", () => time);
  const app = await memoryApp({ calendar, ...options });
  return {
    ...app,
    tomorrow: () => void (time += 86_400_000),
    held: async (query = "") => (await app.send(`GET /counters?${query}`, authorized)).body,
  };
}

/** Lines with the last one of an export behind them. */
export function lines(...texts: string[]): string {
  return [...texts, `{"counters":${texts.length}}`, ""].join("\n");
}
