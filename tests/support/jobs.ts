// Prints the number of workers that run tests at the same time. Most of the slow tests wait, for a
// process, a browser or a time limit, so that one worker for each core would leave the cores idle.
console.log(Deno.env.get("DENO_JOBS") ?? 2 * navigator.hardwareConcurrency);
