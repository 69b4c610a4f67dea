/** 128 random bits. */
export function randomSalt(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toHex();
}
