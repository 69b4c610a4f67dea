import { importTests } from "../support/parts.ts";

await importTests("faults", 4, 4);
