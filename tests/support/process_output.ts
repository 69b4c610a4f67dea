/** Collects what a process prints, and tells when something is found in it. */
export class ProcessOutput {
  /** Resolves when every stream has ended. */
  readonly ended: Promise<void>;
  #texts: string[];
  #finished = false;
  #changed = Promise.withResolvers<void>();

  constructor(streams: ReadableStream<Uint8Array>[]) {
    this.#texts = streams.map(() => "");
    this.ended = Promise.all(streams.map((stream, index) => this.#read(stream, index))).then(() => {
      this.#finished = true;
      this.#tell();
    });
  }

  /** Returns the output so far of the stream with this number. */
  text(stream: number): string {
    return this.#texts[stream] ?? "";
  }

  /** Waits until a stream holds a match; throws at its end or after `timeout` milliseconds. */
  async find(pattern: RegExp, timeout: number): Promise<RegExpMatchArray> {
    const late = Promise.withResolvers<void>();
    let expired = false;
    const timer = setTimeout(() => {
      expired = true;
      late.resolve();
    }, timeout);
    try {
      for (;;) {
        for (const text of this.#texts) {
          const match = text.match(pattern);
          if (match !== null) return match;
        }
        if (this.#finished) {
          throw new Error(`Wait for ${pattern}: the process ended\n${this.#all()}`);
        }
        if (expired) throw new Error(`Wait for ${pattern}: not in ${timeout} ms\n${this.#all()}`);
        await Promise.race([this.#changed.promise, late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(stream: ReadableStream<Uint8Array>, index: number): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      this.#texts[index] += decoder.decode(bytes, { stream: true });
      this.#tell();
    }
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  #all(): string {
    return this.#texts.join("\n");
  }
}
