import { importTests } from "../support/parts.ts";

await importTests("service", 3, 7);
