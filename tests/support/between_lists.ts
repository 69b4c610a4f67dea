/** Does something before the second list of a Deno KV, or another one, and after those before it. */
export function betweenLists(kv: Deno.Kv, happen: () => Promise<unknown>, before = 2): void {
  const list = kv.list.bind(kv);
  let lists = 0;
  async function* late(...args: Parameters<typeof list>) {
    await happen();
    yield* list(...args);
  }
  Object.defineProperty(kv, "list", {
    value: (...args: Parameters<typeof list>) => ++lists === before ? late(...args) : list(...args),
  });
}
