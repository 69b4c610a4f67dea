// The yardstick on Redis: an INCR for each hit, a GET for each read. Its argument is the address of
// Redis.
import { createClient } from "@redis/client";

const client = createClient({ url: Deno.args[0] ?? "", RESP: 2 });
await client.connect();
const json = { headers: { "content-type": "application/json" } };

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    const key = `hits:${request.url.slice(request.url.indexOf("=") + 1)}`;
    const hits = await (request.method === "GET" ? client.get(key) : client.incr(key));
    return new Response(`{"hits":${hits ?? 0}}`, json);
  },
);
console.log(`http://127.0.0.1:${server.addr.port}`);
