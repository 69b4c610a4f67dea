// A Hono hello-world, to hold the time to start against.
import { Hono } from "hono";

const app = new Hono();
app.get("/healthz", (c) => c.json({ status: "ok" }));
const address = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
const server = Deno.serve(address, app.fetch);
console.log(`http://127.0.0.1:${server.addr.port}`);
