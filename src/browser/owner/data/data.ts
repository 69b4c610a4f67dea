/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { backupCard } from "./backup_card.ts";
import { importCard } from "./import_card.ts";
import { takeKit } from "./kit.ts";
import type { DataView, Kit } from "../data_loader.ts";

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
