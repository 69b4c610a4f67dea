import { importTests } from "../support/parts.ts";

await importTests("service", 7, 7);
