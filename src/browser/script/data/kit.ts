type Elements = typeof import("../elements.ts");
type Session = typeof import("../session.ts");

/** The parts of the page that the view uses. It gets them passed in, so that they exist once. */
export type Kit =
  & Pick<
    Elements,
    | "debounced"
    | "errorMessage"
    | "fill"
    | "grouped"
    | "icon"
    | "make"
    | "plural"
    | "save"
  >
  & Pick<Session, "call" | "callForJson" | "isOver">
  & {
    /** Loads the counters again. */
    load(): Promise<void>;
  };

/** Lets the page draw and answer. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Returns a button that shows a key in its place, with which a job needs no secret. */
export function keyButton(kit: Kit, words: string, queryOf: () => Record<string, string>) {
  const { make, fill, callForJson, errorMessage, isOver } = kit;
  const place = make("span.small", { role: "status" });
  async function show() {
    try {
      const { key } = await callForJson(`key?${new URLSearchParams(queryOf())}`);
      fill(place, "Send it as a Bearer token: ", make("code", key));
    } catch (error) {
      fill(place, isOver(error) ? "" : errorMessage(error));
    }
  }
  const button = make("button.quiet", { click: show }, words);
  return { element: make(".act", button, place), forget: () => fill(place) };
}
