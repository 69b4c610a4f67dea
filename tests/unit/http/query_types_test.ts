import { endpoint } from "../../../src/http/endpoint.ts";

const format = { name: "format", meaning: "", schema: { type: "string" } } as const;

/** True if two unions have the same members. */
type Equal<One, Other> = [One] extends [Other] ? [Other] extends [One] ? true : false : false;

// Tests run unchecked: `deno task check:types` compares the types.
Deno.test("a query can be asked for what its endpoint documents, and for nothing else: that does not compile", () => {
  endpoint("counter", {
    summary: "Try",
    parameters: [format],
    respond({ query }) {
      const isExact: Equal<Parameters<typeof query.get>[0], "id" | "format"> = true;
      return new Response(`${isExact} ${query.get("format")}`);
    },
  });
});
