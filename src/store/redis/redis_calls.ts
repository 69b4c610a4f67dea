import { isFailure, isForbiddenScript, isUnknownScript, type Reply } from "./connection/reply.ts";
import { calls, type Scripts, withText } from "./script_calls.ts";
import type { Command } from "./connection/client.ts";
import type { StoreLink } from "./connection/link.ts";

/** Another form of a command that was refused for its form alone; undefined where there is none. */
export type Reform = (command: Command, cause: Error) => Command | undefined;

/** Options of {@linkcode RedisCalls}. */
export interface RedisCallsOptions {
  link: Pick<StoreLink, "send" | "health">;
  scripts: Scripts;
  /** Called once where Redis allows plain hits and forbids something else, such as scripts. */
  onForbidden(cause: Error): void;
}

/** Sends commands and tells the health of the store what became of them. */
export class RedisCalls {
  readonly #link: RedisCallsOptions["link"];
  readonly #scripts: Scripts;
  readonly #onForbidden: RedisCallsOptions["onForbidden"];
  #isForbiddenTold = false;

  constructor({ link, scripts, onForbidden }: RedisCallsOptions) {
    this.#link = link;
    this.#scripts = scripts;
    this.#onForbidden = onForbidden;
  }

  /** Sends commands that change counters. */
  async write(
    commands: readonly Command[],
    reform: Reform = () => undefined,
  ): Promise<readonly Reply[]> {
    const replies = await this.#deliver(commands, reform);
    if (replies.some(isFailure)) this.#tellFailure(replies, commands);
    else this.#link.health.well();
    return replies;
  }

  /** Tells once that plain hits are counted and something else is forbidden: the store is not away for that. */
  tellForbidden(cause: Error): void {
    if (!this.#isForbiddenTold) this.#onForbidden(cause);
    this.#isForbiddenTold = true;
  }

  /** Sends commands that change nothing; that one of them is refused for an expected reason is no trouble. */
  async ask(
    commands: readonly Command[],
    isExpected: (cause: Error) => boolean = () => false,
  ): Promise<readonly Reply[]> {
    const { health } = this.#link;
    const replies = await this.#link.send(commands);
    const failure = replies.filter(isFailure)
      .find((reply) => reply.kind === "lost" || !isExpected(reply.cause));
    if (failure === undefined) health.readable();
    else health.away(failure.cause);
    return replies;
  }

  #tellFailure(replies: readonly Reply[], commands: readonly Command[]): void {
    const { health } = this.#link;
    for (const [at, reply] of replies.entries()) {
      if (!isFailure(reply)) continue;
      if (reply.kind === "lost") return health.away(reply.cause);
      const isHit = this.#isHit(commands[at] ?? []);
      if (isHit || !isForbiddenScript(reply.cause)) return health.unwritable(reply.cause);
      this.tellForbidden(reply.cause);
    }
  }

  #isHit(command: Command): boolean {
    return command[0] === "INCRBY" || calls(command, this.#scripts.add);
  }

  /** Sends those again that have another form: as they were refused, nothing of them was carried out. */
  async #deliver(commands: readonly Command[], reform: Reform): Promise<readonly Reply[]> {
    const replies = await this.#link.send(commands);
    const others = new Map<number, Command>();
    replies.forEach((reply, at) => {
      const command = commands[at];
      if (reply.kind !== "refused" || command === undefined) return;
      const other = isUnknownScript(reply.cause)
        ? withText(command, this.#scripts)
        : reform(command, reply.cause);
      if (other !== undefined) others.set(at, other);
    });
    if (others.size === 0) return replies;
    // Where there is no connection any more they stay refused, and the others stay done.
    const again = await this.#deliver([...others.values()], reform).catch(() => []);
    const found = new Map([...others.keys()].map((at, index) => [at, again[index]]));
    return replies.map((reply, at) => found.get(at) ?? reply);
  }
}
