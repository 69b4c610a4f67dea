// Prints the number of workers that run tests at the same time. Most of the slow tests wait, for a
// process, a browser or a time limit, so that one worker for each core would leave a core idle: on
// two cores they take 345 s with three workers, and 321 s with four.
console.log(Deno.env.get("DENO_JOBS") ?? navigator.hardwareConcurrency + 2);
