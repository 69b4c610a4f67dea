import { importTests } from "../support/parts.ts";

await importTests("browser", 1, 2);
