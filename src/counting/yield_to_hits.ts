/** Who takes a list slowly has not kept the store busy for all that time. */
const LONGEST_MS = 100;

/** Leaves the store to those who wait for it, some times as long as it was used `since`, by `performance.now()`. */
export async function yieldToHits(since: number, times: number): Promise<void> {
  const usedMs = Math.min(performance.now() - since, LONGEST_MS);
  await new Promise((resolve) => setTimeout(resolve, times * usedMs));
}

/** Hands on what comes part by part; where others wait, the next part is begun after a pause three times as long as the last one took. */
export async function* yieldingToHits<Part>(
  parts: AsyncIterable<Part>,
  othersWait: () => boolean,
): AsyncGenerator<Part> {
  let since = performance.now();
  for await (const part of parts) {
    yield part;
    if (othersWait()) await yieldToHits(since, 3);
    since = performance.now();
  }
}
