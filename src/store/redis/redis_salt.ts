import type { Calendar } from "../../counter/calendar.ts";
import type { Day } from "../../counter/days.ts";
import { randomSalt } from "../random_salt.ts";
import type { RedisCalls } from "./redis_calls.ts";
import { problemOf } from "./connection/reply.ts";

/** The salt of a day, made by whoever asks first; Redis removes it when the day ends. */
export async function saltOf(
  day: Day,
  { calls, calendar }: { calls: Pick<RedisCalls, "write">; calendar: Calendar },
): Promise<string> {
  const key = keyOf(day);
  const [, salt] = await calls.write([
    ["SET", key, randomSalt(), "NX", "EX", String(secondsLeft(calendar))],
    ["GET", key],
    ["DEL", keyOf(day - 1)],
  ]);
  if (salt?.kind === "done" && typeof salt.value === "string") return salt.value;
  throw problemOf(salt, "store-unavailable");
}

/** How long Redis shall keep what ends with the day. */
export function secondsLeft(calendar: Calendar): number {
  return Math.ceil(calendar.untilMidnight() / 1000);
}

function keyOf(day: Day): string {
  return `tallymark:salt:${day}`;
}
