import { isFailure, isForbiddenScript, isUnknownScript, type Reply } from "./connection/reply.ts";
import type { Command } from "./connection/client.ts";
import type { StoreLink } from "./connection/node.ts";
import { isCallOf, type Scripts, withText } from "./scripts.ts";

/** Another form of a command that was refused for its form alone; undefined if there is none. */
export type Fallback = (command: Command, cause: Error) => Command | undefined;

/** Sends commands, and reports to the health of the store what became of them. */
export class RedisCommands {
  readonly #link: Pick<StoreLink, "send" | "health">;
  readonly #scripts: Scripts;
  readonly #onForbidden: (cause: Error) => void;
  #isForbiddenReported = false;

  constructor({ link, scripts, onForbidden }: {
    link: Pick<StoreLink, "send" | "health">;
    scripts: Scripts;
    /** Called once if Redis allows plain hits and forbids something else, such as scripts. */
    onForbidden(cause: Error): void;
  }) {
    this.#link = link;
    this.#scripts = scripts;
    this.#onForbidden = onForbidden;
  }

  /** Sends commands that change counters. */
  async write(
    commands: readonly Command[],
    fallback: Fallback = () => undefined,
  ): Promise<readonly Reply[]> {
    const replies = await this.#send(commands, fallback);
    if (replies.some(isFailure)) this.#reportFailure(replies, commands);
    else this.#link.health.well();
    return replies;
  }

  /** Sends commands that change nothing; being refused for an expected reason is no trouble. */
  async read(
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

  /** Reports once that plain hits are counted and something else is forbidden: the store is not away for that. */
  reportForbidden(cause: Error): void {
    if (!this.#isForbiddenReported) this.#onForbidden(cause);
    this.#isForbiddenReported = true;
  }

  /** Sends those again that have another form: they were refused, so nothing of them was carried out. */
  async #send(commands: readonly Command[], fallback: Fallback): Promise<readonly Reply[]> {
    const replies = await this.#link.send(commands);
    const others = new Map<number, Command>();
    replies.forEach((reply, at) => {
      const command = commands[at];
      if (reply.kind !== "refused" || command === undefined) return;
      const other = isUnknownScript(reply.cause)
        ? withText(command, this.#scripts)
        : fallback(command, reply.cause);
      if (other !== undefined) others.set(at, other);
    });
    if (others.size === 0) return replies;
    // Without a connection by now they stay refused, and the others stay done.
    const again = await this.#send([...others.values()], fallback).catch(() => []);
    const found = new Map([...others.keys()].map((at, index) => [at, again[index]]));
    return replies.map((reply, at) => found.get(at) ?? reply);
  }

  #reportFailure(replies: readonly Reply[], commands: readonly Command[]): void {
    const { health } = this.#link;
    for (const [at, reply] of replies.entries()) {
      if (!isFailure(reply)) continue;
      if (reply.kind === "lost") return health.away(reply.cause);
      if (this.#isHit(commands[at] ?? []) || !isForbiddenScript(reply.cause)) {
        return health.unwritable(reply.cause);
      }
      this.reportForbidden(reply.cause);
    }
  }

  #isHit(command: Command): boolean {
    return command[0] === "INCRBY" || isCallOf(command, this.#scripts.add);
  }
}
