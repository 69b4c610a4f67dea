import type { Day } from "../../counter/days.ts";
import { randomSalt } from "../random_salt.ts";
import { saltKey } from "./kv_keys.ts";

/** The salt of a day, made by whoever asks first, who removes the one of the day before. */
export async function saltOf(day: Day, kv: Deno.Kv): Promise<string> {
  const key = saltKey(day);
  while (true) {
    const { value } = await kv.get<unknown>(key);
    if (typeof value === "string") return value;
    await kv.atomic().check({ key, versionstamp: null }).set(key, randomSalt())
      .delete(saltKey(day - 1)).commit();
  }
}
