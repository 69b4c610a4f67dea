import type { Calendar } from "../domain/calendar.ts";

/**
 * Returns a function that returns the state of today, which `begin` creates. The process forgets it
 * at midnight, even if no request arrives after it. Once the service has `ended`, no timer runs.
 */
export function perDay<State>(
  { calendar, ended }: { calendar: Calendar; ended: AbortSignal },
  begin: () => State,
): () => State {
  let current: { readonly day: number; readonly state: State } | undefined;
  let midnightTimer: ReturnType<typeof setTimeout> | undefined;
  ended.addEventListener("abort", () => clearTimeout(midnightTimer));
  return () => {
    const day = calendar.today();
    if (current?.day === day) return current.state;
    const { state } = current = { day, state: begin() };
    clearTimeout(midnightTimer);
    if (!ended.aborted) {
      midnightTimer = setTimeout(() => current = undefined, calendar.msUntilMidnight());
    }
    return state;
  };
}
