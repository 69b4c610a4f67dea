// Prints the number of workers that run tests at the same time. Most of the slow tests wait, for a
// process, a browser or a time limit, so that one worker for each core would leave a core idle.
// With more, the tests take longer: on two cores 556 s with four workers, and 540 s with three.
console.log(Deno.env.get("DENO_JOBS") ?? navigator.hardwareConcurrency + 1);
