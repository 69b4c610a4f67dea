import { strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { field, openApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { SECRET } from "../../support/secret.ts";

function groupKey(prefix: string): string {
  return createHmac("sha256", SECRET).update(`prefix:${prefix}`).digest().subarray(0, 16)
    .toString("base64url");
}

Deno.test("a group key creates 10,000 counters a day, and always counts existing ones", async () => {
  await using app = openApp({ store: new ScriptedStore() });
  const key = groupKey("a/");
  const hit = async (id: string, more = `&key=${key}`) =>
    (await app.send(`POST /hit?id=${id}${more}`)).status;
  for (let number = 0; number < 10_000; number++) {
    if (await hit(`a/${number}`) !== 200) throw new Error(`The hit of a/${number} failed`);
  }
  const { status, json, headers } = await app.send(`POST /hit?id=a/new&key=${key}`);
  strictEqual(status, 403);
  strictEqual(field(json, "type"), "urn:problem-type:tallymark:group-full");
  strictEqual(headers["x-tallymark"], "group-full");
  strictEqual(await app.count("a/new"), 0);
  strictEqual(await hit("a/0"), 200);
  // Another prefix, the counter's own key and the owner are not limited.
  strictEqual(await hit("b/new", `&key=${groupKey("b/")}`), 200);
  strictEqual(await hit("a/new", `&token=${SECRET}`), 200);
  strictEqual(await hit("a/new"), 200);
  strictEqual(await app.count("a/new"), 2);
});
