import { KvConnectData, TooMuch } from "./kv_connect_data.ts";

/**
 * Starts a remote Deno KV in this process, for `Deno.openKv(server.url)` with `server.token` in
 * `DENO_KV_ACCESS_TOKEN`.
 */
export function startKvConnect(options: KvConnectOptions = {}): KvConnectServer {
  return new KvConnectServer(options);
}

/** The kind of server. */
export type KvConnectOptions = {
  /**
   * Maximum number of checks in a commit; 10 by default, as in a self-hosted server. Deno Deploy
   * allows 100.
   */
  checks?: number;
};

/** The way in which responses to applied commits are lost. */
export type AnswerLoss = {
  /** Number of answers; 1 unless given. */
  count?: number;
  /** `status` (the default) answers 500, `body` breaks off after the head of the answer. */
  as?: "status" | "body";
  /** Runs before the answer: `() => proxy.cut()` loses it with the connection. */
  cut?: () => void;
};

/**
 * A server of the KV Connect protocol with its data in memory, that fails on demand. For broken
 * connections put `startProxy(server)` in front: the client keeps to the address it was given. It
 * speaks HTTP/2 over one connection, so that a proxy cannot tell requests apart.
 */
export class KvConnectServer {
  readonly url: string;
  readonly port: number;
  /**
   * The access token that clients must show: one for all servers, as tests in one process share its
   * environment.
   */
  readonly token: string = "the-access-token-of-every-test-server";
  /** Requests to write that came in, those that were refused or repeated included. */
  writes = 0;
  /** Requests to read that came in. */
  reads = 0;
  /** Requests that were answered 400, as they asked for more than such a server takes. */
  refused = 0;
  readonly #data: KvConnectData;
  readonly #id = crypto.randomUUID();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #away = false;
  #hanging: PromiseWithResolvers<void> | undefined;
  #loss: Required<AnswerLoss> = { count: 0, as: "status", cut() {} };
  #beforeNextWrite: (() => Promise<unknown>) | undefined;

  constructor({ checks }: KvConnectOptions) {
    this.#data = new KvConnectData(checks);
    const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
    this.#server = Deno.serve(options, (request) => this.#answer(request));
    this.port = this.#server.addr.port;
    this.url = `http://127.0.0.1:${this.port}`;
  }

  /** Commits that were applied so far. */
  get commits(): number {
    return this.#data.commits;
  }

  /** Applies the next commits (1 unless given) and loses the answer of each. */
  loseNextAnswer(loss: AnswerLoss = {}): void {
    this.#loss = { count: 1, as: "status", cut() {}, ...loss };
  }

  /** Runs `write`, such as a commit of another client, before the next commit is looked at. */
  conflictNext(write: () => Promise<unknown>): void {
    this.#beforeNextWrite = write;
  }

  /** Answers everything with 503 and does nothing, until `comeBack`. */
  goAway(): void {
    this.#away = true;
  }

  /** Ends `goAway`. */
  comeBack(): void {
    this.#away = false;
  }

  /** Accepts requests and answers none of them, until `resume`. */
  hang(): void {
    this.#hanging ??= Promise.withResolvers();
  }

  /** Ends `hang`: the requests that wait are answered. */
  resume(): void {
    this.#hanging?.resolve();
    this.#hanging = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const body = await request.bytes();
    await this.#hanging?.promise;
    if (this.#away) return new Response("away", { status: 503 });
    if (request.headers.get("authorization") !== `Bearer ${this.token}`) {
      return new Response("wrong token", { status: 401 });
    }
    switch (new URL(request.url).pathname) {
      case "/":
        return this.#metadata();
      case "/data/snapshot_read":
        this.reads++;
        return this.#within(() => this.#data.read(body));
      case "/data/atomic_write":
        this.writes++;
        return await this.#write(body);
      default:
        return new Response("unknown path", { status: 404 });
    }
  }

  async #write(body: Uint8Array): Promise<Response> {
    const first = this.#beforeNextWrite;
    this.#beforeNextWrite = undefined;
    await first?.();
    const answer = this.#within(() => this.#data.write(body));
    if (this.#loss.count === 0 || answer.status !== 200) return answer;
    this.#loss.count--;
    this.#loss.cut();
    if (this.#loss.as === "body") return new Response(brokenBody());
    return new Response("the answer is lost", { status: 500 });
  }

  /** Answers with the message that is made, or 400 where more was asked for than is allowed. */
  #within(make: () => Uint8Array<ArrayBuffer>): Response {
    try {
      return new Response(make(), { headers: { "content-type": "application/x-protobuf" } });
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      this.refused++;
      return new Response(error.message, { status: 400 });
    }
  }

  #metadata(): Response {
    return Response.json({
      version: 3,
      databaseId: this.#id,
      uuid: this.#id,
      endpoints: [{ url: "/data", consistency: "strong" }],
      token: this.token,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
  }
}

/** Sends the head and one byte, and breaks off when that byte has been taken. */
function brokenBody(): ReadableStream<Uint8Array> {
  let pulls = 0;
  return new ReadableStream({
    async pull(controller) {
      if (pulls++ === 0) return controller.enqueue(Uint8Array.of(8));
      // Later than the head leaves; an error before that would be an answer of 500.
      await new Promise((resolve) => setTimeout(resolve, 20));
      controller.error(new Error("the answer breaks off"));
    },
  });
}
