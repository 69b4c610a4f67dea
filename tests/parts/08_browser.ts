import { importTests } from "../support/parts.ts";

await importTests("browser", 4, 4);
