import { importTests } from "../support/parts.ts";

await importTests("faults", 1, 4);
