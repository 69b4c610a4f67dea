// Prints the number of workers that run tests at the same time. Most of the slow tests wait, for a
// process, a browser or a time limit, so that one worker for each core would leave a core idle.
// More take more CPU and save little time: on two cores four take 320 s, and three take 336 s.
console.log(Deno.env.get("DENO_JOBS") ?? navigator.hardwareConcurrency + 2);
