// A bare `Deno.serve` that sends one fixed response in the fastest way that Deno has, as the limit
// of the service. The second server sends only a content-type. The argument is the response as
// JSON, such as `{"body": "…", "headers": {…}}`.

const { body, headers }: { body: string; headers: Record<string, string> } = JSON.parse(
  Deno.args[0] ?? "",
);
const single = { headers: { "content-type": headers["content-type"] ?? "text/plain" } };

const address = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
const limit = Deno.serve(address, () => {
  const response = new Response(body);
  // Set one by one, they cost less than in one object.
  for (const name in headers) response.headers.set(name, headers[name] ?? "");
  return response;
});
const oneHeader = Deno.serve(address, () => new Response(body, single));
console.log(`http://127.0.0.1:${limit.addr.port} http://127.0.0.1:${oneHeader.addr.port}`);
