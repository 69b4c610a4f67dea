import { StartError } from "../../start_error.ts";
import { RedisConnection } from "./connection.ts";
import {
  askForList,
  connectServers,
  type LinkOptions,
  nameOf,
  oneAtATime,
  RedisNode,
  singleLink,
  type StoreLink,
} from "./node.ts";

/**
 * Interval in which Sentinels are asked, in milliseconds. After a failover by hand, the old master
 * accepts hits for up to 8 s.
 */
const INTERVAL_MS = 500;

/**
 * Opens the master that Sentinels name, now and after each failover. Resolves when it has connected
 * or failed to. Rejects if no Sentinel answers. Throws a {@linkcode StartError} if the Sentinels
 * watch no master of this name.
 */
export async function openSentinels(options: LinkOptions): Promise<StoreLink> {
  const { setting: { addresses, master }, replicas, health } = options;
  const [login] = addresses;
  // Without a health, because one Sentinel of several may be unreachable without harm.
  const sentinels = addresses.map((address) =>
    new RedisConnection({
      address: { ...address, username: undefined, password: undefined, database: 0 },
    })
  );
  /** The master, the epoch of the failover that made it one, or the reason why there is none. */
  const known: { node?: RedisNode; epoch: number; error?: StartError } = { epoch: -1 };
  const refresh = oneAtATime(askForMaster);
  const timer = setInterval(refresh, INTERVAL_MS);

  async function askForMaster(): Promise<void> {
    const askedAt = performance.now();
    // Most Sentinels have no password of their own: they refuse AUTH with that of the Redis and
    // answer the rest.
    const { username = "default", password } = login;
    const auth = password === undefined ? [] : [["AUTH", username, password]];
    const lists = await Promise.all(
      sentinels.map((sentinel) =>
        askForList((commands) => sentinel.send(commands), ...auth, ["SENTINEL", "MASTERS"])
      ),
    );
    useMaster(lists.flatMap((list) => watchedMasters(list ?? [])));
    if (known.node === undefined) return;
    // Sentinels may name a Redis that is a replica for a moment longer. If this user may not run
    // ROLE, the answer of the Sentinels has to be enough.
    const [role = "master"] = await askForList(known.node.ask, ["ROLE"]) ?? [];
    if (role === "master") known.node.confirm(askedAt);
  }

  /** Uses the master named by the Sentinel that knows the latest failover. */
  function useMaster(watched: ReturnType<typeof watchedMasters>): void {
    const names = [...new Set(watched.map(({ name }) => name))].sort();
    const wanted = master ?? (names.length === 1 ? names[0] : undefined);
    if (names.length > 0 && !names.some((name) => name === wanted)) {
      known.error = new StartError(
        "STORE_URL must end in a slash and the name of the master that the Sentinels watch: " +
          names.join(", "),
      );
    }
    const [latest] = watched.filter(({ name, isReplaced }) => name === wanted && !isReplaced)
      .sort((one, other) => other.epoch - one.epoch);
    if (latest === undefined || latest.epoch < known.epoch) return;
    const { host, port, epoch } = latest;
    known.epoch = epoch;
    const old = known.node;
    if (old !== undefined && nameOf(old.address) === nameOf({ host, port })) return;
    const address = { ...login, host, port };
    known.node = new RedisNode({ address, replicas, health, onChange: refresh });
    // Replies of a master whose place another has taken are worth nothing.
    old?.close(0);
  }

  async function close(): Promise<void> {
    clearInterval(timer);
    await Promise.all([...sentinels, known.node].map((connection) => connection?.close()));
  }

  await connectServers(sentinels, refresh, () => known.node ? [known.node] : []);
  const { node, error } = known;
  if (node !== undefined) return singleLink(() => known.node ?? node, close);
  await close();
  throw error ?? new Error("No Sentinel answers");
}

/** Parses the reply to `SENTINEL MASTERS`. Each master is a list of names and values. */
function watchedMasters(reply: readonly unknown[]) {
  return reply.filter(Array.isArray).map((list: readonly unknown[]) => {
    const field = (name: string) => String(list[list.indexOf(name) + 1]);
    return {
      name: field("name"),
      host: field("ip"),
      port: Number(field("port")),
      // Increased with each failover.
      epoch: Number(field("config-epoch")),
      // The Sentinel that replaces a master still names it, but with the epoch of the new one.
      isReplaced: field("flags").includes("failover_in_progress"),
    };
  });
}
