import { importTests } from "../support/parts.ts";

await importTests("browser", 2, 2);
