// Opens the counter file of its folder as a service does at its start, and says so.
import { openCounterFile } from "../../src/store/kv/file/counter_file.ts";

await openCounterFile("data/counters.kv");
console.log("open");
