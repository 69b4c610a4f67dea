// A Hono app with one INCR per hit, to hold the time to the first hit against. Its argument is the
// address of Redis.
import { createClient } from "@redis/client";
import { Hono } from "hono";

const client = createClient({ url: Deno.args[0] ?? "", RESP: 2 });
await client.connect();
const app = new Hono();
app.post("/hit", async (c) => c.json({ id: "home", hits: await client.incr("hits:home") }));
const address = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
const server = Deno.serve(address, app.fetch);
console.log(`http://127.0.0.1:${server.addr.port}`);
