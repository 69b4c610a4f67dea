import { run } from "./src/start/server.ts";

// In a bundle, the CommonJS modules of the Redis client load Node's modules with this function.
// Only the entry of the program defines it, so that mounting the package changes no global.
Object.assign(globalThis, {
  require: (name: string) => globalThis.process.getBuiltinModule(name),
});

// Not awaited. To report where an error was awaited, V8 would parse all of a bundle a second
// time at each start.
run();
