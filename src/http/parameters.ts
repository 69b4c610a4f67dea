import { DEFAULT_ID, MAX_ID_BYTES } from "../counter/counter_id.ts";
import type { Parameter } from "../parameter.ts";

/** The counter that a request is about. */
export const id = {
  name: "id",
  meaning: "The counter: 1 to 200 bytes of UTF-8, trimmed and taken as NFC.",
  schema: { type: "string", default: DEFAULT_ID, maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

/** The secret, for who cannot send a header. */
export const token = {
  name: "token",
  meaning: "The secret; a header keeps it out of the logs on the way.",
  schema: { type: "string" },
} as const satisfies Parameter;

/** What opens a counter for hits and nothing else. */
export const key = {
  name: "key",
  meaning: "A counter key from `/key`. It may stand in public: it counts one id only.",
  schema: { type: "string" },
} as const satisfies Parameter;

/** The form of a count. */
export const format = {
  name: "format",
  meaning: "`txt` or `text` answers in plain text, anything else in JSON.",
  schema: { type: "string", examples: ["txt", "text"] },
} as const satisfies Parameter;

/** How long shields.io may keep a badge. */
export const cacheSeconds = {
  name: "cacheSeconds",
  meaning: "Clamped to this range; what is not a whole number is the default.",
  schema: { type: "integer", default: 60, minimum: 30, maximum: 3600 },
} as const satisfies Parameter;
