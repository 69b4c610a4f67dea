/** What every answer passes on its way out. */
export interface Farewell {
  /** The answer as it is, or, once connections are to end, with the word that this one does. */
  leave(response: Response): Response;
  /** Whether that has begun: Deno breaks off the bodies of all requests then. */
  readonly hasBegun: () => boolean;
  /** Has every answer from now on end its connection, those to requests under way included. */
  begin(): void;
}

/** Ends connections where nobody can send the next request into them: after an answer that says so. */
export function createFarewell(): Farewell {
  let begun = false;
  return {
    leave(response) {
      if (begun) response.headers.set("connection", "close");
      return response;
    },
    hasBegun: () => begun,
    begin() {
      begun = true;
    },
  };
}
