/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />
import { backupCard } from "./script/data/backup_card.ts";
import { importCard } from "./script/data/import_card.ts";
import { type Kit, takeKit } from "./script/data/kit.ts";

/** Creates the Data view in an element. The page loads this module when the view opens. */
export function createDataView(place: Element, kit: Kit) {
  takeKit(kit);
  const backup = backupCard();
  const imports = importCard();
  place.append(backup.element, imports.element);
  return {
    /** Removes the owner's data. What was chosen stays if the session only ended. */
    forget(keepsTyped: boolean) {
      backup.forget();
      imports.forget(keepsTyped);
    },
    resume: imports.resume,
  };
}
