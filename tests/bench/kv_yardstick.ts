// The yardstick on Deno KV: a commit for each hit, a get for each read. Its argument is the file.
// A sum does not tell the new number: a service that answers with it would be slower still.

const kv = await Deno.openKv(Deno.args[0]);
const json = { headers: { "content-type": "application/json" } };

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    const key = ["hits:", request.url.slice(request.url.indexOf("=") + 1)];
    if (request.method === "GET") {
      return new Response(`{"hits":${(await kv.get<Deno.KvU64>(key)).value?.value ?? 0}}`, json);
    }
    await kv.atomic().sum(key, 1n).commit();
    return new Response('{"ok":true}', json);
  },
);
console.log(`http://127.0.0.1:${server.addr.port}`);
