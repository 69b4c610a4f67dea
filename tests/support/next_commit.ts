type Commit = Deno.AtomicOperation["commit"];

/** Carries out the next commit of a Deno KV another way. */
export function overrideNextCommit(
  kv: Deno.Kv,
  how: (carryOut: Commit) => ReturnType<Commit>,
): void {
  const begin = kv.atomic.bind(kv);
  const override = { configurable: true, value: begin };
  Object.defineProperty(kv, "atomic", {
    configurable: true,
    value() {
      Object.defineProperty(kv, "atomic", override);
      const operation = begin();
      const carryOut = operation.commit.bind(operation);
      return Object.defineProperty(operation, "commit", { value: () => how(carryOut) });
    },
  });
}

type Read = Deno.Kv["getMany"];

/** Answers the next read of several entries of a Deno KV another way. */
export function overrideNextRead(
  kv: Deno.Kv,
  how: (read: () => ReturnType<Read>) => unknown,
): void {
  const getMany = kv.getMany.bind(kv);
  Object.defineProperty(kv, "getMany", {
    configurable: true,
    value(...args: Parameters<Read>) {
      Object.defineProperty(kv, "getMany", { configurable: true, value: getMany });
      return how(() => getMany(...args));
    },
  });
}
