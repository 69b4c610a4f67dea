import type { RedisServer } from "./redis_server.ts";
import { RespError } from "./resp.ts";
import { waitFor } from "./wait_for.ts";

const SLOTS = 16384;
const OFTEN = { interval: 50 };

/**
 * Makes one cluster of fresh nodes: the first three share the slots, each of the others follows one
 * of them.
 */
export async function joinCluster(
  nodes: readonly RedisServer[],
  busPorts: readonly number[],
): Promise<void> {
  await Promise.all(
    nodes.map((node, index) =>
      run(node, [["CLUSTER", "SET-CONFIG-EPOCH", String(index + 1)], ...shareOf(index)])
    ),
  );
  await Promise.all(nodes.map((node) =>
    run(
      node,
      nodes.map(({ port }, at) => ["CLUSTER", "MEET", "127.0.0.1", `${port}`, `${busPorts[at]}`]),
    )
  ));
  const ids = await Promise.all(nodes.map(idOf));
  await Promise.all(nodes.map((node) =>
    waitFor("the nodes to know each other", async () => {
      const known = String(await node.command("CLUSTER", "NODES"));
      return ids.every((id) => known.includes(id)) && !known.includes("handshake") || undefined;
    }, OFTEN)
  ));
  await Promise.all(nodes.map(async (node, index) => {
    if (index >= 3) await run(node, [["CLUSTER", "REPLICATE", ids[index % 3] ?? ""]]);
  }));
  await waitForCluster(nodes);
}

/**
 * Waits until every node says that all slots are served, and every master that all its replicas
 * follow.
 */
export async function waitForCluster(nodes: readonly RedisServer[]): Promise<void> {
  await Promise.all(nodes.map((node) =>
    waitFor("the cluster", async () => {
      const [info, replication, known] = (await node.commands([
        ["CLUSTER", "INFO"],
        ["INFO", "replication"],
        ["CLUSTER", "NODES"],
      ])).map(String);
      const serves = info?.includes("cluster_state:ok") && info.includes("cluster_slots_ok:16384");
      const id = /^(\w+) \S+ myself/m.exec(known ?? "")?.[1];
      const replicas = known?.match(new RegExp(`^\\w+ \\S+ slave ${id} `, "gm"))?.length ?? 0;
      const online = replication?.match(/state=online/g)?.length ?? 0;
      const follows = !replication?.includes("master_link_status:down");
      return serves && follows && online >= replicas ? true : undefined;
    }, OFTEN)
  ));
}

/**
 * Waits until all nodes know who serves a slot: a node that does not yet could give it back to the
 * one before.
 */
export async function waitForOwner(
  slot: number,
  { owner, nodes }: { owner: RedisServer; nodes: readonly RedisServer[] },
): Promise<void> {
  const id = await idOf(owner);
  await Promise.all(nodes.map((node) =>
    waitFor(`the owner of slot ${slot}`, async () => {
      const known = await slotsOf(node, (line) => line.startsWith(id));
      return known.some(([first, last]) => first <= slot && slot <= last) || undefined;
    }, OFTEN)
  ));
}

/** The slots that a node serves as a master, by its own word. */
export function ownSlots(node: RedisServer): Promise<[first: number, last: number][]> {
  return slotsOf(node, (line) => line.includes("myself"));
}

async function slotsOf(
  node: RedisServer,
  isAsked: (line: string) => boolean,
): Promise<[first: number, last: number][]> {
  const known = String(await node.command("CLUSTER", "NODES"));
  const fields = known.split("\n").find(isAsked)?.split(" ") ?? [];
  if (!fields[2]?.includes("master")) return [];
  return fields.slice(8).filter((range) => !range.startsWith("[")).map((range) => {
    const [first = "", last = first] = range.split("-");
    return [Number(first), Number(last)];
  });
}

/**
 * Number of slots to move at a time. Each slot alone would need a connection for each of its steps.
 */
const PORTION = 20;

/**
 * Moves slots with all their keys from one master to another, by the steps of
 * `redis-cli --cluster reshard`.
 */
export async function moveSlots(
  slots: readonly number[],
  { from, to }: { from: RedisServer; to: RedisServer },
): Promise<void> {
  for (let first = 0; first < slots.length; first += PORTION) {
    const portion = slots.slice(first, first + PORTION);
    await beginMove(portion, { from, to });
    await endMove(portion, { from, to });
  }
}

/**
 * Begins to move slots: from then on each key is asked for at the one where it was, and if it is
 * gone there, at the other.
 */
export async function beginMove(
  slots: readonly number[],
  { from, to }: { from: RedisServer; to: RedisServer },
): Promise<void> {
  const [source, target] = await Promise.all([idOf(from), idOf(to)]);
  const all = slots.map(String);
  await run(to, all.map((slot) => ["CLUSTER", "SETSLOT", slot, "IMPORTING", source]));
  await run(from, all.map((slot) => ["CLUSTER", "SETSLOT", slot, "MIGRATING", target]));
}

/** Moves single keys of slots that are being moved; those that are not there are passed over. */
export async function moveKeys(
  keys: readonly string[],
  { from, to }: { from: RedisServer; to: RedisServer },
): Promise<void> {
  const place = ["127.0.0.1", String(to.port), "", "0", "5000"];
  if (keys.length > 0) await run(from, [["MIGRATE", ...place, "KEYS", ...keys]]);
}

/** Moves all keys that are left of slots, and hands these over. */
export async function endMove(
  slots: readonly number[],
  { from, to }: { from: RedisServer; to: RedisServer },
): Promise<void> {
  const all = slots.map(String);
  for (;;) {
    const found = await from.commands(all.map((slot) => ["CLUSTER", "GETKEYSINSLOT", slot, "10"]));
    const lists = found.filter(Array.isArray).filter((keys) => keys.length > 0);
    if (lists.length === 0) break;
    for (const keys of lists) await moveKeys(keys.map(String), { from, to });
  }
  const target = await idOf(to);
  for (const node of [to, from]) {
    await run(node, all.map((slot) => ["CLUSTER", "SETSLOT", slot, "NODE", target]));
  }
}

function shareOf(index: number): string[][] {
  if (index >= 3) return [];
  const [first = 0, next = 0] = [index, index + 1].map((part) => Math.floor(SLOTS * part / 3));
  return [["CLUSTER", "ADDSLOTSRANGE", String(first), String(next - 1)]];
}

async function idOf(node: RedisServer): Promise<string> {
  return String(await node.command("CLUSTER", "MYID"));
}

async function run(node: RedisServer, commands: string[][]): Promise<void> {
  for (const reply of await node.commands(commands)) if (reply instanceof RespError) throw reply;
}
