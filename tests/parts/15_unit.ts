import { importTests } from "../support/parts.ts";

await importTests("unit", 2, 2);
