/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { backupCard } from "./backup_card.ts";
import { importCard } from "./import_card.ts";
import { jobsCard } from "./jobs_card.ts";
import type { Page } from "../data_loader.ts";

/** Creates the Data view in an element. Returns a function that compares chosen files again. */
export function createDataView(place: Element, page: Page): () => void {
  const { element, resume } = importCard(page);
  place.append(backupCard(page), element, jobsCard(page));
  return resume;
}
