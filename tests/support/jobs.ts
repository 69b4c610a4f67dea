// Prints the number of test files to run at the same time. Most of the slow tests wait, for a
// process, a browser or a time limit, so that one file for each core would leave the cores idle.
console.log(Deno.env.get("DENO_JOBS") ?? 2 * navigator.hardwareConcurrency);
