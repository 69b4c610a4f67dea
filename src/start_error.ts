/** Why the service cannot start, in a sentence for the person who starts it. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** What was thrown, in words. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
