import { importTests } from "../support/parts.ts";

await importTests("faults", 2, 4);
