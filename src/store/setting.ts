/** The place in which the counters are stored. */
export type StoreSetting =
  | { readonly kind: "kv-file"; readonly path: string }
  | { readonly kind: "kv-memory" }
  | { readonly kind: "kv-platform" }
  | { readonly kind: "kv-remote"; readonly url: string }
  | ({ readonly kind: "redis" } & RedisSetting);

/** The kind of the servers. `any` is one server or a cluster, which the server reports itself. */
export type RedisForm = "any" | "cluster" | "sentinel";

export interface RedisSetting {
  readonly form: RedisForm;
  /** User, password and database are those of the Redis, even of Sentinels. */
  readonly addresses: readonly [RedisAddress, ...RedisAddress[]];
  /** The name of the Redis at the Sentinels. Undefined if they monitor only one. */
  readonly master: string | undefined;
}

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}
