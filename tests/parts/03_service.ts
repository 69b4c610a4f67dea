import { importTests } from "../support/parts.ts";

await importTests("service", 6, 7);
