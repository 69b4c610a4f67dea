/** A secret shorter than this could be guessed from a counter key that stands in public. */
export const MIN_SECRET_LENGTH = 16;
