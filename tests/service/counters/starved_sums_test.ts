import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { authorized, SECRET } from "../../support/secret.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait_for.ts";

/** Number of connections of a stranger. More than the scans that may wait. */
const CONNECTIONS = 130;
/** Number of groups, of 100 counters each. */
const GROUPS = 10;

Deno.test("sums of random prefixes keep neither the owner's sums nor known ones from being read", async () => {
  await using service = await startService({
    env: { SECRET_TOKEN: SECRET, PUBLIC_READS: "1" },
  });
  const ids = Array.from({ length: 100 * GROUPS }, (_, at) => `${at % GROUPS}/${at}`);
  const body = ids.map((id) => `{"id":"${id}","hits":1}\n`).join("");
  const options = { method: "POST", headers: authorized, body };
  const imported = await fetch(`${service.url}/counters`, options);
  deepStrictEqual(await imported.json(), { counters: ids.length });
  const sum = async (prefix: string, headers: HeadersInit = {}) => {
    const response = await fetch(`${service.url}/count?prefix=${prefix}`, { headers });
    const { hits } = await response.json();
    return hits ?? response.status;
  };
  strictEqual(await sum("0/"), 100);
  let isFlooding = true;
  const sums = new Set<unknown>();
  const flood = Array.from({ length: CONNECTIONS }, async (_, connection) => {
    for (let number = 0; isFlooding; number++) {
      sums.add(await sum(`stranger/${connection}/${number}/`));
    }
  });
  await waitFor("a refused stranger", () => sums.has(503) || undefined);
  const read: unknown[] = [];
  for (let group = 1; group < GROUPS; group++) {
    read.push(await sum(`${group}/`, authorized), await sum("0/"));
  }
  isFlooding = false;
  await Promise.all(flood);
  deepStrictEqual(read, Array(read.length).fill(100));
});
