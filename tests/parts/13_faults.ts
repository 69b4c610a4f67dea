import { importTests } from "../support/parts.ts";

await importTests("faults", 3, 4);
