import { run } from "./src/server.ts";

// Not awaited: to report where an error was awaited, V8 would parse all of a bundle a second time at each start.
run();
