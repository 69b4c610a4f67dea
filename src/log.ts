/**
 * The fields of a log line. Numbers, booleans, strings and lists of strings are written as they are, errors with their
 * causes, anything else as a string.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where events go: one call is one line. `event` is a fixed phrase; what varies goes into `fields`. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export interface LogOptions {
  /** Each is redacted wherever it would appear. */
  secrets: readonly string[];
  /** Standard error by default. */
  write?: (line: string) => void;
}

/** A log that writes each event as one JSON line. */
export function createLog({ secrets, write = writeToStandardError }: LogOptions): Log {
  const hidden = spellingsOf(secrets);

  function log(level: string, event: string, fields: LogFields = {}): void {
    const line: Record<string, unknown> = { time: new Date().toISOString(), level, event };
    for (const [name, value] of Object.entries(fields)) line[name] = redacted(value, hidden);
    write(JSON.stringify(line));
  }

  return {
    info: (event, fields) => log("info", event, fields),
    warn: (event, fields) => log("warn", event, fields),
    error: (event, fields) => log("error", event, fields),
  };
}

/** Prints text for a person: the banner, and why the service cannot start. */
export function printTo(stream: "stdout" | "stderr", text: string): void {
  try {
    if (stream === "stdout") console.log(text);
    else console.error(text);
  } catch {
    // On a full disk the console throws; the service must go on without its log.
  }
}

function writeToStandardError(line: string): void {
  printTo("stderr", line);
}

/** An error with its causes, outermost first. */
function describe(error: Error): string {
  const parts: string[] = [];
  let current: unknown = error;
  while (current instanceof Error && parts.length < 5) {
    parts.push(`${current.name}: ${current.message}`);
    current = current.cause;
  }
  return parts.join(" <- ");
}

/** Each secret as it is and percent-encoded. */
function spellingsOf(secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => secret.length > 0)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    // The longest first: a secret that begins another would leave the rest of that one.
    .sort((a, b) => b.length - a.length);
}

/** Nothing that JSON.stringify would look into by itself. */
function redacted(value: unknown, hidden: readonly string[]): unknown {
  if (value === undefined || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map((part) => redacted(part, hidden));
  return hide(value instanceof Error ? describe(value) : String(value), hidden);
}

/** Splits at one secret after the other: a long one would not compile as a pattern, and the error would show it. */
function hide(text: string, hidden: readonly string[]): string {
  const [secret, ...others] = hidden;
  if (secret === undefined) return text;
  return text.split(secret).map((part) => hide(part, others)).join("[redacted]");
}
