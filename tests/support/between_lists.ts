/** First key parts that only the sweeper lists. */
const SWEPT: readonly unknown[] = ["salt", "seen", "once", "deleted"];

/**
 * Reports whether the sweeper makes this list. It runs at any moment from one second after a store
 * was opened.
 */
export function isSweep(selector: Deno.KvListSelector): boolean {
  return "prefix" in selector && SWEPT.includes(selector.prefix[1]);
}

/**
 * Does something before the second list of a Deno KV, or another one, and after those before it;
 * the sweeper's do not count.
 */
export function betweenLists(kv: Deno.Kv, happen: () => Promise<unknown>, before = 2): void {
  const list = kv.list.bind(kv);
  let lists = 0;
  async function* late(...args: Parameters<typeof list>) {
    await happen();
    yield* list(...args);
  }
  Object.defineProperty(kv, "list", {
    value: (...args: Parameters<typeof list>) =>
      !isSweep(args[0]) && ++lists === before ? late(...args) : list(...args),
  });
}
