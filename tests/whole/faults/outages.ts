/**
 * How often a log tells that the store went away and that it came back. A busy machine may keep
 * Redis from answering for so long that it is taken to be away: those times are left out.
 */
export function outagesIn(log: string): { away: number; back: number } {
  let [away, back, isAway] = [0, 0, false];
  for (const [event] of log.matchAll(/"store (?:un)?available".*/g)) {
    if (event.includes("Redis does not answer")) continue;
    if (event.startsWith('"store unavailable"')) {
      away++;
      isAway = true;
    } else if (isAway) {
      back++;
      isAway = false;
    }
  }
  return { away, back };
}
