/** The prefix of every temporary folder of the tests, which a killed run leaves behind. */
export const TEMP_PREFIX = "tallymark-test-";

/** Makes a new folder that is removed with its content when disposed of. */
export async function tempDir(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: TEMP_PREFIX });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
