// Runs the tests of all files of unit/ in one worker. With a worker for each file, loading what
// they test takes twice as long as the tests.
await importTests(new URL("unit/", import.meta.url));

async function importTests(folder: URL): Promise<void> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  for (const { name, isDirectory } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (isDirectory) await importTests(new URL(`${name}/`, folder));
    else if (name.endsWith("_test.ts")) await import(new URL(name, folder).href);
  }
}
