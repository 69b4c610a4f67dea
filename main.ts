import { run } from "./src/server.ts";

// Not awaited: to tell where an error was awaited, V8 reads all of a bundle again, which took a third of its start.
run();
