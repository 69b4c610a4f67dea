import { importTests } from "../support/parts.ts";

await importTests("browser", 3, 4);
