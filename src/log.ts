import { BoundedMap } from "./bounded_map.ts";

type LogFields = Readonly<Record<string, unknown>>;

/** Capacity of the cache of warnings that are written once in a while. */
const MAX_WARNED = 1000;
const PERIODS_MS = { hour: 3_600_000, day: 86_400_000 };

/** Writes a line for each event. `event` is a fixed phrase, and `fields` hold what varies. */
export type Log = Readonly<ReturnType<typeof createLog>>;

/**
 * Creates a log that writes each event as a line of JSON, in which it redacts the secrets. More of
 * them may be added later. Numbers, booleans, strings and lists are written as they are, errors
 * with their causes, and anything else as a string.
 */
export function createLog(
  { secrets, write = (line) => printTo("stderr", line) }: {
    secrets: readonly string[];
    write?: ((line: string) => void) | undefined;
  },
) {
  const writer = (level: string) => (event: string, fields: LogFields = {}): void => {
    const hidden = spellingsOf(secrets);
    const line: Record<string, unknown> = { time: new Date().toISOString(), level, event };
    for (const [name, value] of Object.entries(fields)) line[name] = redacted(value, hidden);
    write(JSON.stringify(line));
  };

  const warn = writer("warn");
  const warned = new BoundedMap<string, number>(MAX_WARNED);
  return {
    info: writer("info"),
    warn,
    error: writer("error"),
    /** Warns at most once in an hour or a day, because every request may have the same cause. */
    warnOncePer(period: keyof typeof PERIODS_MS, event: string, fields: LogFields): void {
      const warning = JSON.stringify([event, fields]);
      if (Date.now() - (warned.get(warning) ?? -Infinity) < PERIODS_MS[period]) return;
      warned.set(warning, Date.now());
      warn(event, fields);
    },
  };
}

/** Prints text by the console, because Deno Deploy records nothing else. */
export function printTo(stream: "stdout" | "stderr", text: string): void {
  try {
    if (stream === "stdout") console.log(text);
    else console.error(text);
  } catch {
    // On a full disk the console throws, but the service must continue without its log.
  }
}

/** Formats an error with its causes, the outermost first. */
function describe(error: Error): string {
  const parts: string[] = [];
  let current: unknown = error;
  while (current instanceof Error && parts.length < 5) {
    parts.push(`${current.name}: ${current.message}`);
    current = current.cause;
  }
  return parts.join(" <- ");
}

/** Returns each secret as it is and percent-encoded. */
function spellingsOf(secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => secret.length > 0)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    // The longest first, because a secret that begins another would leave its rest.
    .sort((a, b) => b.length - a.length);
}

/** Converts a field to plain data without secrets. */
function redacted(value: unknown, hidden: readonly string[]): unknown {
  if (value === undefined || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map((part) => redacted(part, hidden));
  const text = value instanceof Error ? describe(value) : String(value);
  return hidden.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), text);
}
