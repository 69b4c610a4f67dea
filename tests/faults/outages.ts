/**
 * Returns how often a log reports that the store became unreachable and reachable. Outages because
 * a busy machine delayed Redis are left out.
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
