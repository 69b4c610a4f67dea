import { run } from "./src/server.ts";

await run();
