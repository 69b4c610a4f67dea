import { ok } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { Caller } from "../caller.ts";
import { authorized, SECRET } from "../../support/secret.ts";
import { type LocalService, startLocalService } from "../../support/local_service.ts";
import { Service, startService } from "../../support/service.ts";
import { times } from "../../support/times.ts";
import { waitFor } from "../../support/wait_for.ts";
import { type CounterState, NOTHING, textOf } from "./counter_model.ts";
import { type Door, type RandomWorkload, startRandomWorkload } from "./random_workload.ts";
import { heldIn, Recorder } from "./recorder.ts";

/** Some that a careless store would mix up. */
const IDS = ["a", "a}b", "{a}b", "日本", "b", "c", "d:e", "*"];
/** Answers between one fault and the next, and operations that may begin during a fault. */
const ANSWERS = 60;
const DURING = times(40, 400);

/** Processes that share a store, one for each time zone. */
export interface Room extends AsyncDisposable {
  /** Addresses of the service. */
  readonly doors: readonly Door[];
  /**
   * Lets callers do everything to a few counters while one fault after the other happens, and
   * checks all they were told.
   */
  under(faults: readonly (() => unknown)[], load?: Partial<Load>): Promise<void>;
  /** Ends a service in good order, or kills its process, and starts it again. */
  restart(place: number, signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** Number of callers, and the counters that they share. */
export interface Load {
  readonly callers: number;
  readonly ids: readonly string[];
}

/** Options of a room. */
export interface RoomOptions {
  readonly env: Record<string, string>;
  readonly cwd?: string;
  /** Places of processes, which can be killed. The other services run in that of the test. */
  readonly processes?: readonly number[];
}

/** Starts a service for each time zone. */
export async function openRoom(
  zones: readonly string[],
  { env, cwd, processes = [] }: RoomOptions,
): Promise<Room> {
  const services: (LocalService | Service)[] = [];
  const startIn = async (place: number): Promise<void> => {
    const TIME_ZONE = zones[place] ?? "";
    const all = { SECRET_TOKEN: SECRET, PUBLIC_READS: "1", TIME_ZONE, ...env };
    const service = processes.includes(place)
      ? await startService({ env: all, ...cwd !== undefined && { cwd } })
      : await startLocalService(all);
    services[place] = service;
    await service.storeReady();
  };
  for (const place of zones.keys()) await startIn(place);
  const hasVisitors = new Set(zones).size === 1;
  const doors = zones.map((zone, place): Door => {
    const calendar = createCalendar(zone);
    return {
      hasVisitors,
      get url() {
        return services[place]?.url ?? "";
      },
      dayAt: (time) => calendar.dayAt(time),
      get today() {
        return calendar.today();
      },
    };
  });

  return {
    doors,
    async under(faults, { callers = 4, ids = IDS } = {}) {
      const recorder = new Recorder();
      await using workload = startRandomWorkload(recorder, {
        doors,
        callers,
        ids,
        leavesCounters: true,
        isLimited: true,
      });
      for (const fault of faults) {
        await moreAnswers(recorder, workload);
        workload.allow(DURING);
        await fault();
      }
      await moreAnswers(recorder, workload);
      await workload.stop();
      for (const service of services) await service.storeReady();
      for (const door of doors) await readAll(recorder, door, recorder.ids);
      const exports = [];
      for (const { url } of doors) exports.push(await exportOf(url));
      const left = recorder.check();
      for (const exported of exports) {
        for (const id of exported.keys()) ok(left.has(id), `${id} was never touched`);
        for (const [id, counters] of left) {
          const text = textOf(exported.get(id) ?? NOTHING);
          ok(counters.some((counter) => textOf(counter) === text), `${id} is exported as ${text}`);
        }
      }
    },
    async restart(place, signal) {
      const service = services[place];
      if (service instanceof Service) await service.stop(signal);
      else if (signal === "SIGKILL") throw new Error(`Kill ${place}: it is no process`);
      await service?.[Symbol.asyncDispose]();
      await startIn(place);
    },
    async [Symbol.asyncDispose]() {
      for (const service of services) await service[Symbol.asyncDispose]();
    },
  };
}

async function moreAnswers(recorder: Recorder, workload: RandomWorkload): Promise<void> {
  const enough = recorder.answered + ANSWERS;
  await waitFor("more answers", () => {
    // Some may stay without an answer.
    if (recorder.answered < enough) workload.allow(ANSWERS / 3);
    return recorder.answered >= enough;
  });
}

async function readAll(
  recorder: Recorder,
  { url, today }: Door,
  ids: readonly string[],
): Promise<void> {
  const caller = new Caller();
  for (const id of ids) {
    await recorder.send(caller, { url, id, op: { kind: "history", since: -Infinity, day: today } });
    await recorder.send(caller, { url, id, op: { kind: "total" } });
  }
  caller.close();
}

/** Returns the counters of an export, and checks their number in its last line. */
export async function exportOf(url: string): Promise<Map<string, CounterState>> {
  const answer = await fetch(`${url}/counters`, { headers: authorized });
  const text = await answer.text();
  ok(answer.ok, text);
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const counters = lines.slice(0, -1);
  const ids = new Map(counters.map((json) => [json.id, heldIn(json)]));
  ok(ids.size === counters.length, `a counter stands there twice: ${text}`);
  ok(lines.at(-1).counters === ids.size, "the last line counts others");
  return ids;
}
