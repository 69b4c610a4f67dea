import { importTests } from "../support/parts.ts";

await importTests("unit", 1, 2);
