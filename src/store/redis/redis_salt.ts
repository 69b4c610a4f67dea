import type { Day } from "../../counter/days.ts";
import { randomSalt } from "../random_salt.ts";
import type { RedisCalls } from "./redis_calls.ts";
import { problemOf } from "./redis_reply.ts";

/** How long a salt stays where nobody comes on the next day, who removes it. */
const LIFETIME_S = 90_000;

/** The salt of a day, made by whoever asks first. */
export async function saltOf(day: Day, calls: Pick<RedisCalls, "write">): Promise<string> {
  const key = keyOf(day);
  const [, salt] = await calls.write([
    ["SET", key, randomSalt(), "NX", "EX", String(LIFETIME_S)],
    ["GET", key],
    ["DEL", keyOf(day - 1)],
  ]);
  if (salt?.kind === "done" && typeof salt.value === "string") return salt.value;
  throw problemOf(salt, "store-unavailable");
}

function keyOf(day: Day): string {
  return `tallymark:salt:${day}`;
}
