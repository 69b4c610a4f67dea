import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { createBodyReader } from "../../../src/http/reading.ts";

Deno.test("the bodies of a network and of all are limited, and more are refused at once", async () => {
  const read = createBodyReader(
    { hasBegun: false },
    ({ network }: { request: Request; network: string }) => network,
  );
  const end = Promise.withResolvers<Uint8Array>();
  /** Begins a request whose body ends with the promise. */
  function begin(network: string): Promise<string> {
    const stream = ReadableStream.from((async function* () {
      yield await end.promise;
    })());
    const request = new Request("http://localhost/", {
      ...{ method: "POST", body: stream, headers: { "content-length": "1" } },
    });
    return read({ request, network }, 10);
  }
  const overloaded = { kind: "overloaded", status: 503 };
  const ofOne = Array.from({ length: 1000 }, () => begin("one"));
  await rejects(begin("one"), overloaded);
  const others = Array.from({ length: 3000 }, (_, index) => begin(`other ${index % 25}`));
  await rejects(begin("another"), overloaded);
  end.resolve(new TextEncoder().encode("!"));
  const all = await Promise.all([...ofOne, ...others]);
  deepStrictEqual(new Set(all), new Set(["!"]));
  strictEqual(await begin("one"), "!");
});
