/** A field of a log line: text, a number, a truth value, or what was thrown. */
export type LogField = string | number | boolean | undefined | readonly string[] | Error;

/** Where events go: one call is one line. `event` is a fixed phrase; what varies goes into `fields`. */
export interface Log {
  info(event: string, fields?: Record<string, LogField>): void;
  warn(event: string, fields?: Record<string, LogField>): void;
  error(event: string, fields?: Record<string, LogField>): void;
}

/** Options of {@linkcode createLog}. */
export interface LogOptions {
  /** Texts that must never leave the process: each is replaced wherever it would appear. */
  secrets: readonly string[];
  /** Takes one finished line; the default writes it to standard error. */
  write?: (line: string) => void;
}

/** A log that writes each event as one JSON line. */
export function createLog({ secrets, write = writeToStandardError }: LogOptions): Log {
  const hidden = spellingsOf(secrets);

  function log(level: string, event: string, fields: Record<string, LogField> = {}): void {
    const line: Record<string, unknown> = { time: new Date().toISOString(), level, event };
    for (const [name, value] of Object.entries(fields)) {
      line[name] = redact(value instanceof Error ? describe(value) : value, hidden);
    }
    write(JSON.stringify(line));
  }

  return {
    info: (event, fields) => log("info", event, fields),
    warn: (event, fields) => log("warn", event, fields),
    error: (event, fields) => log("error", event, fields),
  };
}

/** Prints text for a person at start: the banner, and what keeps the service from starting. */
export function printTo(stream: "stdout" | "stderr", text: string): void {
  try {
    if (stream === "stdout") console.log(text);
    else console.error(text);
  } catch {
    // On a full disk the console throws; what cannot be told must not end what is told of.
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
    // The longest first: one that begins another would leave the rest of it.
    .sort((a, b) => b.length - a.length);
}

function redact(value: LogField, hidden: readonly string[]): LogField {
  if (typeof value === "string") return hide(value, hidden);
  return Array.isArray(value) ? value.map((text) => hide(text, hidden)) : value;
}

/** Cuts at one secret after the other: as a pattern, a long one would not compile and would be told in the error. */
function hide(text: string, hidden: readonly string[]): string {
  const [secret, ...others] = hidden;
  if (secret === undefined) return text;
  return text.split(secret).map((part) => hide(part, others)).join("[redacted]");
}
