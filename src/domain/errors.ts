/** The reasons why a call on counters fails. */
export type FailureKind =
  /** The id is invalid. */
  | "bad-id"
  /** The value that is stored under the id is not a counter. */
  | "not-a-counter"
  /** The counter would exceed its maximum. */
  | "counter-full"
  /** The counter, or one of its days, would fall below 0. */
  | "below-zero"
  /** The counters of a group are more, or add up to more, than can be read at once. */
  | "group-too-large"
  /** The counters are in different slots of a cluster. */
  | "slots-differ"
  /** The id is not one that the caller may import. */
  | "outside-prefix"
  /** The store did not carry out the call. */
  | "store-unavailable"
  /** The store did not confirm the call, so it may have been carried out. */
  | "outcome-unknown"
  /** Too many calls wait for the store. */
  | "overloaded"
  /** The counters are being closed. */
  | "shutting-down";

/** The failure of a call on counters. Unless it is `outcome-unknown`, nothing was changed. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** A sentence for the caller, if the kind does not say enough. */
  readonly detail: string | undefined;

  constructor(
    readonly kind: FailureKind,
    { detail, cause }: { detail?: string | undefined; cause?: unknown } = {},
  ) {
    super(kind, { cause });
    this.detail = detail;
  }

  /** True if the store is the reason, so that other counters fail, too. */
  get isOfStore(): boolean {
    return OF_STORE.has(this.kind);
  }
}

const OF_STORE: ReadonlySet<FailureKind> = new Set([
  "store-unavailable",
  "outcome-unknown",
  "overloaded",
  "shutting-down",
]);
