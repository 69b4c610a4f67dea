// A bare server for `deno serve --parallel` that sends one fixed response. Its argument is the
// response as JSON, such as `{"body": "…", "headers": {…}}`.

const { body, headers }: { body: string; headers: Record<string, string> } = JSON.parse(
  Deno.args[0] ?? "",
);

export default {
  fetch(): Response {
    const response = new Response(body);
    // Set one by one, they cost less than in one object.
    for (const name in headers) response.headers.set(name, headers[name] ?? "");
    return response;
  },
  onListen({ port }: Deno.NetAddr): void {
    Deno.stdout.writeSync(new TextEncoder().encode(`http://127.0.0.1:${port}\n`));
  },
};
