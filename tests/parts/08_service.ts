import { importTests } from "../support/parts.ts";

await importTests("service", 2, 7);
