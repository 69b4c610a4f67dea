/** The reason why the service cannot start, for the operator. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Returns the message of a thrown value. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
