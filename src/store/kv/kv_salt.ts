import type { Day } from "../../counter/days.ts";
import { randomSalt } from "../random_salt.ts";
import type { KvDatabase } from "./kv_database.ts";
import { OWN, saltKey } from "./kv_keys.ts";

/** The salt of a day, made by whoever asks first, who removes the one of the day before. */
export async function saltOf(day: Day, database: KvDatabase): Promise<string> {
  const { kv } = database;
  const key = saltKey(day);
  while (true) {
    const { value } = await kv.get<unknown>(key);
    if (typeof value === "string") return value;
    await database.serialize(() =>
      kv.atomic().check({ key, versionstamp: null }).set(key, randomSalt())
        .delete(saltKey(day - 1)).commit()
    );
  }
}

/** Ends the salts of days that are over, and all that is left of them on the disk. */
export async function endSalts(database: KvDatabase, today: Day): Promise<void> {
  const { kv } = database;
  const salts = kv.list<unknown>({ prefix: [OWN, "salt"], end: saltKey(today) });
  const operation = kv.atomic();
  let found = false;
  for await (const { key, value } of salts) {
    found = true;
    // What is deleted stays in the page of the file until something else takes its place.
    if (typeof value === "string") operation.set(key, "0".repeat(value.length));
    operation.delete(key);
  }
  if (!found) return;
  await database.serialize(() => operation.commit());
  await database.truncateLog();
}
