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
