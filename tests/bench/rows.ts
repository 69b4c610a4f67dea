import { counterId } from "../../src/domain/counter_id.ts";
import { Keys } from "../../src/auth/keys.ts";
import { Secret } from "../../src/auth/secret.ts";
import type { Loader, Shape } from "./load.ts";
import { BENCH_SECRET } from "./servers.ts";

/** The stores that are measured. */
export const STORES = ["deno-kv", "redis"] as const;
export type StoreName = typeof STORES[number];

/** One line of the table for each store. */
export type Row = {
  /** Endpoint, load shape and connections. */
  name: string;
  shape: Shape;
  connections: number;
  /** True if a yardstick is measured as well. */
  yardstick: boolean;
  /** The ratio to the limit that is to be reached. */
  goal?: Record<StoreName, number>;
};

/** The key with which anyone may count the hot id. */
const hotKey = new Keys(new Secret(BENCH_SECRET)).make("counter", counterId("n1")).key;
const token = { "X-Auth-Token": BENCH_SECRET };

/** Returns the rows that this loader can measure. */
export function benchRows({ everyShape }: Pick<Loader, "everyShape">): Row[] {
  return allRows().filter(({ shape }) => {
    return everyShape || shape.requests.length === 1 && shape.ids === 1;
  });
}

function allRows(): Row[] {
  const get = (path: string): Shape => ({
    requests: [{ method: "GET", path, weight: 1 }],
    ids: 1,
  });
  const count = get("/count?id={id}");
  const hit: Shape = {
    requests: [{ method: "POST", path: "/hit?id={id}", headers: token, weight: 1 }],
    ids: 1,
  };
  const mixed: Shape = {
    requests: [
      { method: "GET", path: "/count?id={id}", weight: 9 },
      { method: "POST", path: "/hit?id={id}", headers: token, weight: 1 },
    ],
    ids: 10_000,
  };
  const plain = { connections: 64, yardstick: false };
  const hits = { connections: 64, yardstick: true };
  return [
    { name: "/count hot 64", shape: count, ...plain, goal: goal(0.7, 0.7) },
    { name: "/count.txt hot 64", shape: get("/count.txt?id={id}"), ...plain, goal: goal(0.7, 0.7) },
    { name: "/badge hot 64", shape: get("/badge?id={id}"), ...plain, goal: goal(0.65, 0.65) },
    { name: "/badge.json hot 64", shape: get("/badge.json?id={id}"), ...plain },
    { name: "/hit hot 64", shape: hit, ...hits, goal: goal(0.55, 0.55) },
    { name: "/hit.svg hot 64", shape: get(`/hit.svg?id={id}&key=${hotKey}`), ...plain },
    { name: "/count 10k 64", shape: { ...count, ids: 1e4 }, ...plain, goal: goal(0.55, 0.55) },
    { name: "/hit 10k 64", shape: { ...hit, ids: 1e4 }, ...hits, goal: goal(0.3, 0.45) },
    { name: "/count 1M 64", shape: { ...count, ids: 1e6 }, ...plain },
    { name: "/hit 1M 64", shape: { ...hit, ids: 1e6 }, ...hits },
    { name: "/count+/hit 9:1 10k 64", shape: mixed, ...hits },
    { name: "/count hot 1", shape: count, connections: 1, yardstick: false },
    { name: "/hit hot 1", shape: hit, connections: 1, yardstick: false },
    { name: "/count hot 512", shape: count, connections: 512, yardstick: false },
    { name: "/hit hot 512", shape: hit, connections: 512, yardstick: false },
  ];
}

function goal(denoKv: number, redis: number): Record<StoreName, number> {
  return { "deno-kv": denoKv, redis };
}
