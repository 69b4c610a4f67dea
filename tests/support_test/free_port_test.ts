import { strictEqual } from "node:assert/strict";
import { lastingPort } from "../support/free_port.ts";

Deno.test("lastingPort: gives no port twice, also while nobody listens on it yet", () => {
  const ports = Array.from({ length: 1000 }, lastingPort);
  strictEqual(new Set(ports).size, ports.length);
});
