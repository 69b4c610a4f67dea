import { importTests } from "../support/parts.ts";

await importTests("service", 5, 7);
