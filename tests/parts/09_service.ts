import { importTests } from "../support/parts.ts";

await importTests("service", 1, 7);
