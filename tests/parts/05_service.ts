import { importTests } from "../support/parts.ts";

await importTests("service", 4, 7);
