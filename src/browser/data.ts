/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { backupCard } from "./script/data/backup_card.ts";
import { importCard } from "./script/data/import_card.ts";
import { takeKit } from "./script/data/kit.ts";
import type { DataView, Kit } from "./script/data_loader.ts";

/** Creates the Data view in an element. */
export function createDataView(place: Element, kit: Kit): DataView {
  takeKit(kit);
  const backup = backupCard();
  const { element, forget, resume } = importCard();
  place.append(backup.element, element);
  return {
    forget(keepsTyped) {
      backup.forget();
      forget(keepsTyped);
    },
    resume,
  };
}
