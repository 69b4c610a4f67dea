/** Does something after the first list of a Deno KV and before the second. */
export function betweenLists(kv: Deno.Kv, happen: () => Promise<unknown>): void {
  const list = kv.list.bind(kv);
  let lists = 0;
  async function* second(...args: Parameters<typeof list>) {
    await happen();
    yield* list(...args);
  }
  Object.defineProperty(kv, "list", {
    value: (...args: Parameters<typeof list>) => ++lists === 2 ? second(...args) : list(...args),
  });
}
