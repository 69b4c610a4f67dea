import type { Place } from "./cluster_slots.ts";
import type { Reply } from "./connection/reply.ts";

/** A Redis that a Sentinel watches, as that Sentinel last saw it. */
export interface WatchedMaster extends Place {
  readonly name: string;
  /** Counts the failovers: of two Sentinels, the one with the higher epoch knows better. */
  readonly epoch: number;
}

/** What a Sentinel answers to `SENTINEL MASTERS`; undefined where it is no such answer. */
export function watchedMasters(reply: Reply | undefined): readonly WatchedMaster[] | undefined {
  return recordsOf(reply)?.map((record) => ({
    name: record.get("name") ?? "",
    ...placeOf(record),
    epoch: Number(record.get("config-epoch")),
  }));
}

/** What a Sentinel answers to `SENTINEL SENTINELS`: where the others are. */
export function otherSentinels(reply: Reply | undefined): readonly Place[] {
  return recordsOf(reply)?.map(placeOf) ?? [];
}

function placeOf(record: ReadonlyMap<string, string>): Place {
  return { host: record.get("ip") ?? "", port: Number(record.get("port")) };
}

function recordsOf(reply: Reply | undefined): ReadonlyMap<string, string>[] | undefined {
  if (reply?.kind !== "done" || !Array.isArray(reply.value)) return undefined;
  return reply.value.filter(Array.isArray).map(recordOf);
}

/** A record is sent as a list in which names and values take turns. */
function recordOf(list: readonly unknown[]): ReadonlyMap<string, string> {
  const record = new Map<string, string>();
  for (let at = 0; at + 1 < list.length; at += 2) {
    record.set(String(list[at]), String(list[at + 1]));
  }
  return record;
}
