/** The number to answer with: as it was asked for, or with a remark of what is different about it. */
export type Found = number | Remarked;

/** A number that is not what the request usually gives. */
export interface Remarked {
  readonly hits: number;
  readonly remark: "prefetch" | "bot" | "repeat" | "camo";
}

/** A number with a remark, once it is known. */
export async function remarked(
  hits: number | Promise<number>,
  remark: Remarked["remark"],
): Promise<Remarked> {
  return { hits: await hits, remark };
}
