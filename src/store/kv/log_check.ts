/** Sizes in bytes (sqlite.org/fileformat.html, section 4.1). */
const HEADER = 32;
const FRAME_HEADER = 24;
/** The first word of a log whose checksums are over little-endian words; one more for big-endian. */
const MAGIC = 0x377f0682;

/** Two sums over all that was written before. */
type Sums = readonly [number, number];

/**
 * Whether the log of an SQLite file is damaged: its header, or a frame that is not among the last ones written.
 *
 * SQLite takes a log up to the first frame that does not add up and drops the rest without a word. That is right for what
 * a crash left half written, which is one commit at most; where another one follows it, stored counts would be lost.
 */
export function isLogDamaged(bytes: Uint8Array<ArrayBuffer>): boolean {
  if (bytes.length === 0) return false;
  if (bytes.length < HEADER) return true;
  const log = new Log(bytes);
  let sums = log.headerSums();
  if (sums === undefined) return true;
  for (let frame = 0;; frame++) {
    sums = log.sumsAfter(frame, sums);
    if (sums === undefined) return log.isFollowed(frame);
  }
}

class Log {
  readonly #view: DataView;
  readonly #frameSize: number;
  readonly #littleEndian: boolean;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#frameSize = FRAME_HEADER + this.#view.getUint32(8);
    this.#littleEndian = this.#view.getUint32(0) === MAGIC;
  }

  /** The sums after the header; undefined where it does not add up. */
  headerSums(): Sums | undefined {
    const magic = this.#view.getUint32(0);
    if (magic !== MAGIC && magic !== MAGIC + 1) return undefined;
    return this.#verified(this.#sum([0, 0], { start: 0, length: 24 }), 24);
  }

  /** The sums after a frame; undefined where there is none that adds up. */
  sumsAfter(frame: number, sums: Sums): Sums | undefined {
    if (!this.#isCurrent(frame)) return undefined;
    const start = this.#startOf(frame);
    const page = { start: start + FRAME_HEADER, length: this.#frameSize - FRAME_HEADER };
    return this.#verified(this.#sum(this.#sum(sums, { start, length: 8 }), page), start + 16);
  }

  /** Whether a commit ends after this frame and another one begins behind it. */
  isFollowed(frame: number): boolean {
    let last = frame + 1;
    while (this.#isCurrent(last) && !this.#endsCommit(last)) last++;
    return this.#isCurrent(last) && this.#isCurrent(last + 1);
  }

  /** Whether a frame is there that was written since the log was begun anew the last time: it has the header's salt. */
  #isCurrent(frame: number): boolean {
    const start = this.#startOf(frame);
    return start + this.#frameSize <= this.#view.byteLength &&
      this.#view.getUint32(start + 8) === this.#view.getUint32(16) &&
      this.#view.getUint32(start + 12) === this.#view.getUint32(20);
  }

  /** Only the last frame of a commit tells how large the file is after it. */
  #endsCommit(frame: number): boolean {
    return this.#view.getUint32(this.#startOf(frame) + 4) > 0;
  }

  #startOf(frame: number): number {
    return HEADER + frame * this.#frameSize;
  }

  #verified(sums: Sums, at: number): Sums | undefined {
    const matches = sums[0] === this.#view.getUint32(at) &&
      sums[1] === this.#view.getUint32(at + 4);
    return matches ? sums : undefined;
  }

  #sum([first, second]: Sums, { start, length }: { start: number; length: number }): Sums {
    const [view, little] = [this.#view, this.#littleEndian];
    for (let at = start; at < start + length; at += 8) {
      first = (first + view.getUint32(at, little) + second) >>> 0;
      second = (second + view.getUint32(at + 4, little) + first) >>> 0;
    }
    return [first, second];
  }
}
