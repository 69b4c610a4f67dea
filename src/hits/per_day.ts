import type { Calendar } from "../domain/calendar.ts";

/**
 * Returns a function that returns the state of today, which `begin` creates. The process forgets it
 * at midnight, even if no request arrives after it.
 */
export function perDay<State>(calendar: Calendar, begin: () => State): () => State {
  let current: { readonly day: number; readonly state: State } | undefined;
  return () => {
    const day = calendar.today();
    if (current?.day === day) return current.state;
    const begun = { day, state: begin() };
    current = begun;
    const forget = () => {
      if (current === begun) current = undefined;
    };
    // A server that mounts the service may end before midnight.
    Deno.unrefTimer(setTimeout(forget, calendar.msUntilMidnight()));
    return begun.state;
  };
}
