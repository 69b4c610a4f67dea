import { doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { needsPrograms } from "../../support/programs.ts";
import { type Service, startService } from "../../support/service.ts";

/** `script` gives a program a terminal. */
const needsTerminal = needsPrograms("script");

for (const env of [{}, { SECRET_TOKEN: "0123456789abcdef" }, { STORE_URL: "memory:" }]) {
  Deno.test(
    `a terminal is shown a link that signs in once: ${JSON.stringify(env)}`,
    needsTerminal,
    async () => {
      await using service = await startInTerminal(env);
      const [, page = "", token = ""] = await service.waitForOutput(
        /\n +sign in +(http:\/\/127\.0\.0\.1:\d+\/)#sign-in=(l2\.\d{13}\.[0-9a-f]{32}\.[\w-]{43}) \(works once, for ten minutes\)\r?\n/,
      );
      strictEqual(page, `${service.url}/`);
      const bearing = { authorization: `Bearer ${token}` };
      for (
        const path of ["/hit", "/hit.svg", "/counters", "/key", "/decisions", "/status", "/metrics"]
      ) {
        strictEqual((await ask(service, path, bearing)).status, 401, path);
      }
      strictEqual((await begin(service, {}, `?token=${token}`)).status, 401, "in a query");
      strictEqual((await begin(service, { "x-auth-token": token })).status, 401, "as the secret");
      const begun = await begin(service, bearing);
      strictEqual(begun.status, 200);
      const session = JSON.parse(begun.body).token;
      match(session, /^s1\./);
      const counters = await ask(service, "/counters", { authorization: `Bearer ${session}` });
      strictEqual(counters.status, 200);
      strictEqual((await begin(service, bearing)).status, 401, "a second time");
      const { log, commandLine } = await endOf(service);
      ok(!(log + commandLine).includes(token));
      // Once, in the link.
      strictEqual(service.stdout().split(token).length, 2);
    },
  );
}

Deno.test(
  "without a terminal, or with a secret that is too short for sessions, there is no link",
  needsTerminal,
  async () => {
    await using piped = await startService();
    doesNotMatch(piped.stdout(), /sign-in/);
    await using short = await startInTerminal({ SECRET_TOKEN: "short" });
    await short.waitForOutput(/"event":"start"/);
    doesNotMatch(short.stdout(), /sign-in/);
    await endOf(short);
  },
);

/** Standard output and standard error of the service are then one. */
function startInTerminal(env: Record<string, string>): Promise<Service> {
  const wrap = (line: string[]) => {
    const quoted = line.map((word) => `'${word}'`).join(" ");
    return ["script", "--quiet", "--return", "--flush", "--command", `exec ${quoted}`, "/dev/null"];
  };
  return startService({ env, wrap });
}

/**
 * Ends the service in its terminal and gives what it logged, and what the list of processes showed
 * of it.
 */
async function endOf(service: Service): Promise<{ log: string; commandLine: string }> {
  const children = `/proc/${service.pid}/task/${service.pid}/children`;
  const pid = Number((await Deno.readTextFile(children)).trim());
  const commandLine = await Deno.readTextFile(join("/proc", String(pid), "cmdline"));
  Deno.kill(pid, "SIGTERM");
  strictEqual((await service.waitForEnd()).code, 0);
  const log = service.stdout().split("\n").filter((line) => line.startsWith("{")).join("\n");
  return { log, commandLine };
}

function begin(service: Service, headers: Record<string, string>, query = "") {
  return ask(service, `/session${query}`, headers, "POST");
}

async function ask(
  { url }: Service,
  path: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<{ status: number; body: string }> {
  const answer = await fetch(`${url}${path}`, { method, headers });
  return { status: answer.status, body: await answer.text() };
}
