/** The round number that the top line of a chart stands for: at least 4, and at least the tallest bar. */
export function ceilingOf(most: number): number {
  for (let power = 1;; power *= 10) {
    const found = STEPS.find((step) => step * power >= Math.max(4, most));
    if (found !== undefined) return found * power;
  }
}

const STEPS = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8];
