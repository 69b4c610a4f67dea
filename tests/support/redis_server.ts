import { type Certificate, makeCertificate } from "./certificate.ts";
import { reservePort } from "./reserved_port.ts";
import { findRedis, strictRun } from "./programs.ts";
import { exchange, RespError, type RespReply } from "./resp.ts";
import { TEMP_PREFIX } from "./temp_dir.ts";
import { waitFor } from "./wait_for.ts";

/** True when a redis-server is at hand; `setup.ts` fetches one where apt can. */
export const redisAvailable: boolean = findRedis() !== undefined;

/** Spread into the options of a test: ignores it without redis-server, except under CI=true. */
export const needsRedis: { ignore: boolean } = { ignore: !redisAvailable && !strictRun };

/** Options of a redis-server. By default it takes a free port, is empty and has no password. */
export type RedisOptions = {
  /** More arguments, such as `["--appendonly", "yes"]`; they win over the defaults. */
  args?: string[];
  /** A folder that is kept when the server is disposed of. */
  dir?: string;
  port?: number;
  /** Sets `requirepass`, and the password in `url`. */
  password?: string;
  /**
   * Listens with TLS only, with a certificate of its own or this one; `caCertificate` is then the
   * authority to trust.
   */
  tls?: boolean | Certificate;
  /** Path of the server to start; by default that of the machine, or the fetched one. */
  program?: string;
  /** The path of a file with settings, which must be the first argument. */
  config?: string;
  /** `listening` does not wait until the data is loaded; the default is `loaded`. */
  until?: "listening" | "loaded";
};

/** Starts a real redis-server on 127.0.0.1 and waits until it answers. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const dir = options.dir ?? await Deno.makeTempDir({ prefix: `${TEMP_PREFIX}redis-` });
  const certificate = options.tls === true ? await makeCertificate(dir) : options.tls || undefined;
  for (let attempt = 1;; attempt++) {
    const server = new RedisServer(options, dir, options.port ?? reservePort(), certificate);
    try {
      await server.start(options.until);
      return server;
    } catch (error) {
      // A process that has not run yet has a copy of the socket that found the port free.
      if (String(error).includes("Address already in use") && attempt < 20) continue;
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }
}

/** A redis-server of a test: it is killed and its folder removed when disposed of. */
export class RedisServer {
  readonly dir: string;
  readonly port: number;
  /** Path of the PEM file of the authority to trust; undefined without TLS. */
  readonly caCertificate: string | undefined;
  #options: RedisOptions;
  #certificate: Certificate | undefined;
  #process: Deno.ChildProcess | undefined;
  #ended: Promise<string> = Promise.resolve("it was not started");

  constructor(
    options: RedisOptions,
    dir: string,
    port: number,
    certificate: Certificate | undefined,
  ) {
    this.#options = options;
    this.dir = dir;
    this.port = port;
    this.#certificate = certificate;
    this.caCertificate = certificate?.authority;
  }

  /** The address for `STORE_URL`; with TLS the name is `localhost`. */
  get url(): string {
    const { password, tls } = this.#options;
    const user = password === undefined ? "" : `:${encodeURIComponent(password)}@`;
    return tls ? `rediss://${user}localhost:${this.port}` : `redis://${user}127.0.0.1:${this.port}`;
  }

  /** Process id of the running server; throws when it is stopped. */
  get pid(): number {
    if (this.#process === undefined) throw new Error("Use redis-server: it is stopped");
    return this.#process.pid;
  }

  /** True when the process has ended or was never started. */
  get stopped(): boolean {
    return this.#process === undefined;
  }

  /** Starts the process; returns when it answers, or throws with what it logged. */
  async start(until: "listening" | "loaded" = "loaded"): Promise<void> {
    if (this.#process !== undefined) return;
    const { program = findRedis() } = this.#options;
    if (program === undefined) {
      throw new Error("Start redis-server: not found, run `deno task test` or install it");
    }
    const process = new Deno.Command(program, {
      args: this.#args(),
      cwd: this.dir,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#process = process;
    this.#ended = this.#watch(process);
    await waitFor(`redis-server on port ${this.port}`, async () => {
      if (this.stopped) throw new Error(`Start redis-server: it ended: ${await this.#ended}`);
      return await this.#isReady(until) ? true : undefined;
    });
  }

  /** Ends the process in good order (SIGTERM: it may save) and waits for its end. */
  async stop(): Promise<void> {
    await this.kill("SIGTERM");
  }

  /** Sends a signal; unless it is SIGSTOP or SIGCONT, waits until the process has ended. */
  async kill(signal: Deno.Signal = "SIGKILL"): Promise<void> {
    this.#process?.kill(signal);
    if (signal !== "SIGSTOP" && signal !== "SIGCONT") await this.#ended;
  }

  /** Stops the server if it runs and starts it on the same port and folder. */
  async restart(until: "listening" | "loaded" = "loaded"): Promise<void> {
    await this.stop();
    await this.start(until);
  }

  /** Runs one command over a connection of its own; an error reply is thrown as a `RespError`. */
  async command(...args: string[]): Promise<RespReply> {
    const [reply] = await this.commands([args]);
    if (reply === undefined || reply instanceof RespError) throw reply;
    return reply;
  }

  /**
   * Runs many commands in one write over one connection; error replies are returned in their place.
   */
  async commands(commands: string[][]): Promise<(RespReply | RespError)[]> {
    const { password } = this.#options;
    const login = password === undefined ? [] : [["AUTH", password]];
    // A connection that is refused while it is written to has closed itself.
    using connection = await this.#connect();
    return (await exchange(connection, [...login, ...commands])).slice(login.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill("SIGKILL");
    if (this.#options.dir === undefined) await Deno.remove(this.dir, { recursive: true });
  }

  #args(): string[] {
    const { args = [], config, password } = this.#options;
    const certificate = this.#certificate;
    const port = String(this.port);
    return [
      ...config === undefined ? [] : [config],
      ...["--bind", "127.0.0.1", "--dir", this.dir, "--save", "", "--appendonly", "no"],
      ...certificate === undefined ? ["--port", port] : [
        ...["--port", "0", "--tls-port", port, "--tls-auth-clients", "no"],
        ...["--tls-cert-file", certificate.certificate, "--tls-key-file", certificate.key],
        ...["--tls-ca-cert-file", certificate.authority],
      ],
      ...password === undefined ? [] : ["--requirepass", password],
      ...args,
    ];
  }

  /** Resolves to the last lines of the log when the process has ended. */
  async #watch(process: Deno.ChildProcess): Promise<string> {
    const [log, errors] = await Promise.all([
      new Response(process.stdout).text(),
      new Response(process.stderr).text(),
      process.status,
    ]);
    if (this.#process === process) this.#process = undefined;
    return (log + errors).trim().split("\n").slice(-8).join("\n");
  }

  async #connect(): Promise<Deno.Conn> {
    if (this.caCertificate === undefined) {
      return await Deno.connect({ hostname: "127.0.0.1", port: this.port });
    }
    const caCerts = [await Deno.readTextFile(this.caCertificate)];
    return await Deno.connectTls({ hostname: "localhost", port: this.port, caCerts });
  }

  async #isReady(until: "listening" | "loaded"): Promise<boolean> {
    try {
      const [info] = await this.commands([["INFO"]]);
      if (typeof info !== "string") return true;
      // Another server on this port would answer just as well.
      if (!info.includes(`process_id:${this.#process?.pid}\r\n`)) return false;
      return until === "listening" || info.includes("\r\nloading:0\r\n");
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionRefused) return false;
      if (error instanceof Deno.errors.ConnectionReset) return false;
      throw error;
    }
  }
}
