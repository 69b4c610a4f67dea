import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { counterId } from "../../../src/domain/counter_id.ts";
import type { CounterState } from "../../../src/domain/history.ts";
import { MAX_HITS, type Write } from "../../../src/domain/store.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { field, memoryApp, openApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";

const DAY = "2026-11-24";
const calendar = createCalendar("UTC", () => Date.parse(`${DAY}T12:00:00Z`));

/** A store that refuses to set one counter, as one whose shard is unreachable does. */
class StoreWithoutOne extends ScriptedStore {
  /** The ids that it was asked to set. */
  readonly asked: string[] = [];

  constructor(readonly missing: string, readonly problem: Failure) {
    super();
  }

  override async write(writes: readonly Write[]): Promise<readonly (CounterState | Failure)[]> {
    const some = writes.filter(({ id }) => id !== this.missing);
    const held = (await super.write(some)).values();
    this.asked.push(...writes.map(({ id }) => id));
    return writes.map(({ id }) =>
      id === this.missing ? this.problem : held.next().value ?? new Failure("store-unavailable")
    );
  }
}

/** Lines that set the counters n0000, n0001 and so on to 5. */
function lines(count: number, hitsOf: (number: number) => number = () => 5): string {
  return Array.from({ length: count }, (_, number) => {
    return `${JSON.stringify({ id: idOf(number), hits: hitsOf(number) })}\n`;
  }).join("");
}

function idOf(number: number): string {
  return `n${String(number).padStart(4, "0")}`;
}

for (const kind of ["store-unavailable", "outcome-unknown"] as const) {
  Deno.test(`POST /counters ends at a line that is refused with ${kind}, and sets no later chunk`, async () => {
    const store = new StoreWithoutOne(idOf(50), new Failure(kind));
    await using app = openApp({ store });
    const { status, json } = await app.sendBody("POST /counters", lines(3000));
    strictEqual(status, kind === "store-unavailable" ? 503 : 504);
    match(String(field(json, "detail")), /^Line 51 could not be stored: /);
    // At most the chunks that were sent along with the one of this line.
    ok(store.asked.length <= 1000, `${store.asked.length} of 3,000 were tried`);
    const stored = Number(/ (\d+)\. Once/.exec(String(field(json, "detail")))?.[1]);
    strictEqual(stored, store.asked.length - 1);
  });
}

Deno.test("POST /counters sets the other lines where one is not a counter, and names that line", async () => {
  const store = new StoreWithoutOne(idOf(50), new Failure("not-a-counter"));
  await using app = openApp({ store });
  const { status, json } = await app.sendBody("POST /counters", lines(3000));
  strictEqual(status, 409);
  match(String(field(json, "detail")), /^Line 51 could not be stored: .* Lines stored .*: 2999\./);
  strictEqual(store.asked.length, 3000);
});

for (const failing of [0, 500, 1499]) {
  Deno.test(`POST /counters names line ${failing + 1} of 1,500 that would overflow, with dry=1 too`, async () => {
    await using app = await memoryApp({ calendar });
    await app.sendBody(
      "POST /counters",
      JSON.stringify({ id: idOf(failing), hits: MAX_HITS, days: { [DAY]: 1 } }),
    );
    // With days alone, the total grows by as much as the days do.
    const text = Array.from({ length: 1500 }, (_, number) => {
      return `${JSON.stringify({ id: idOf(number), days: { [DAY]: 2 } })}\n`;
    }).join("");
    const details: string[] = [];
    for (const dry of ["1", "0"]) {
      const { status, json } = await app.sendBody(`POST /counters?mode=max&dry=${dry}`, text);
      strictEqual(status, 409);
      details.push(String(field(json, "detail")).split(":")[0] ?? "");
      strictEqual(await app.count(counterId("n0001")), dry === "1" || failing === 1 ? 0 : 2);
    }
    deepStrictEqual(details, Array(2).fill(`Line ${failing + 1} could not be stored`));
  });
}

Deno.test("DELETE /counters?prefix= sends the line of each counter that it deleted, also if the store fails at a later one", async () => {
  const store = new StoreWithoutOne("a/c", new Failure("store-unavailable"));
  await using app = openApp({ store });
  for (const id of ["a/a", "a/b", "a/c", "a/d"]) await app.hit(id);
  const response = await app.open("DELETE /counters?prefix=a/", authorized);
  const sent: string[] = [];
  await rejects(async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      sent.push(text);
    }
  });
  const idsSent = sent.join("").split("\n").filter((line) => line).map((line) =>
    field(JSON.parse(line), "id")
  );
  deepStrictEqual(idsSent, ["a/a", "a/b"]);
  deepStrictEqual([await app.count("a/a"), await app.count("a/d")], [0, 1]);
});

Deno.test("DELETE /counters?prefix= brings back a counter whose line the client did not take, with what was counted since", async () => {
  await using app = await memoryApp({ calendar });
  const all = ["a", "b", "c", "d"].map((id) => `{"id":"a/${id}","hits":9,"days":{"${DAY}":9}}\n`);
  await app.sendBody("POST /counters", all.join(""));
  const response = await app.open("DELETE /counters?prefix=a/", authorized);
  const reader = response.body?.getReader();
  const { value } = await reader?.read() ?? {};
  await app.hit("a/b");
  await reader?.cancel();
  const { body } = await app.send("GET /counters", authorized);
  const kept = new TextDecoder().decode(value) + body.replace(/^.*"counters".*\n$/m, "");
  strictEqual(
    kept,
    all.join("").replace(
      '"a/b","hits":9,"days":{"2026-11-24":9}',
      '"a/b","hits":10,"days":{"2026-11-24":10}',
    ),
  );
});
