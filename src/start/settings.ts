import {
  anyText,
  parseCount,
  parseFlag,
  parseHost,
  parseLimit,
  parsePort,
  parsePrefix,
  parsePublicHits,
  parseTimeZone,
  type Setting,
} from "./settings_reader.ts";
import type { ServeAs } from "../compat/serve_as.ts";
import { parseStoreUrl, type StoreSetting } from "./store_address.ts";

/** Every setting, once; in the order in which .docs/settings.md lists them. */
export const SETTINGS = {
  secret: {
    name: "SECRET_TOKEN",
    default: "",
    meaning:
      "The owner's secret. Counter keys and sign-in need at least 16 characters. If it is not set, the server creates one in `data/secret`.",
    onDeploy: true,
    parse: anyText,
  },
  publicReads: {
    name: "PUBLIC_READS",
    default: "0",
    meaning: "1: everyone may read, even though `SECRET_TOKEN` is set.",
    onDeploy: false,
    parse: parseFlag,
  },
  familyLimit: {
    name: "FAMILY_LIMIT",
    default: "10000",
    meaning: "How many new counters a family key may create per process and day.",
    onDeploy: true,
    parse: parseLimit,
  },
  serveAs: {
    name: "SERVE_AS",
    default: "",
    meaning:
      "What anyone may count at the addresses of other counters, separated by commas: ids (`komarev/octocat`) or families, which end in a slash (`hits.sh/github.com/octocat/`).",
    onDeploy: true,
    parse: parsePublicHits,
  },
  store: {
    name: "STORE_URL",
    default: "kv:data/counters.kv",
    meaning:
      "`redis://user:password@host:port/database`, `rediss://…` (TLS), several addresses separated by commas, `redis+cluster://…`, `redis+sentinel://host,host/name`, `kv:PATH` (a Deno KV file), `kv:https://…` or `kv:http://…` (a remote Deno KV), or `memory:`.",
    onDeploy: true,
    parse: parseStoreUrl,
  },
  replicas: {
    name: "STORE_REPLICAS",
    default: "0",
    meaning: "Redis only. A hit returns 200 once this many replicas have it.",
    onDeploy: true,
    parse: parseCount,
  },
  hostedStore: {
    name: "HOSTED_STORE_URL",
    default: "",
    meaning:
      "A hosted Redis, as its vendor shows it: `host`, `host:port`, `redis://…`, `rediss://…` or `https://host`. `STORE_URL` takes precedence.",
    onDeploy: true,
    parse: anyText,
  },
  hostedPassword: {
    name: "HOSTED_STORE_PASSWORD",
    default: "",
    meaning: "The password of that Redis.",
    onDeploy: true,
    parse: anyText,
  },
  kvToken: {
    name: "DENO_KV_ACCESS_TOKEN",
    default: "",
    meaning: "The token of a remote Deno KV.",
    onDeploy: true,
    parse: anyText,
  },
  prefix: {
    name: "STORE_PREFIX",
    default: "hits:",
    meaning:
      "A Redis key is prefix + id and holds a plain integer; a Deno KV key is `[prefix, id]`. It cannot begin with `{` or `tallymark`.",
    onDeploy: false,
    parse: parsePrefix,
  },
  failFast: {
    name: "FAIL_FAST_STORE",
    default: "0",
    meaning:
      "1: the server does not start unless a network store answers within 5 s. 0: it starts, returns 503 and connects in the background.",
    onDeploy: false,
    parse: parseFlag,
  },
  hostname: {
    name: "HOST",
    default: "0.0.0.0",
    meaning: "The address to listen on. The default is all interfaces.",
    onDeploy: false,
    parse: parseHost,
  },
  port: {
    name: "PORT",
    default: "8000",
    meaning: "The port to listen on. 0 picks a free one and prints it.",
    onDeploy: false,
    parse: parsePort,
  },
  trustProxy: {
    name: "TRUST_PROXY",
    default: "0",
    meaning:
      "The number of your own proxies in front of the server. The address of a visitor is the n-th entry of `X-Forwarded-For` from the right.",
    onDeploy: false,
    parse: parseCount,
  },
  timeZone: {
    name: "TIME_ZONE",
    default: "UTC",
    meaning: "The time zone of daily history, an IANA name such as `Europe/Berlin`.",
    onDeploy: true,
    parse: parseTimeZone,
  },
} satisfies Record<string, Setting<string | undefined | boolean | number | ServeAs | StoreSetting>>;

/** Set by Deno Deploy itself. */
export const PLATFORM_VARIABLES = ["DENO_DEPLOY", "DENO_DEPLOYMENT_ID"] as const;

/** Every environment variable that the service reads. */
export const VARIABLES: readonly string[] = [
  ...Object.values(SETTINGS).map(({ name }) => name),
  ...PLATFORM_VARIABLES,
];
