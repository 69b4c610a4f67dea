import {
  anyText,
  parseCount,
  parseFlag,
  parseHost,
  parseLimit,
  parsePeers,
  parsePort,
  parsePrefix,
  parseTimeZone,
  type Setting,
} from "./setting.ts";
import type { ServeAs } from "../peers/serve_as.ts";
import { parseStoreUrl, type StoreSetting } from "./store_setting.ts";

/** Every setting, once; in the order in which the README lists them. */
export const SETTINGS = {
  secret: {
    name: "SECRET_TOKEN",
    default: "",
    meaning:
      "Opens `/hit`; from 16 characters on, counter keys work too. Without one a token is made for each run and printed.",
    onDeploy: true,
    parse: anyText,
  },
  publicReads: {
    name: "PUBLIC_READS",
    default: "0",
    meaning: "1: anyone may read although `SECRET_TOKEN` is set.",
    onDeploy: false,
    parse: parseFlag,
  },
  familyLimit: {
    name: "FAMILY_LIMIT",
    default: "10000",
    meaning: "How many new counters a family key may create per process and day; 0: none.",
    onDeploy: true,
    parse: parseLimit,
  },
  serveAs: {
    name: "SERVE_AS",
    default: "",
    meaning:
      "What anyone may count under the addresses of other counters, separated by commas: ids (`komarev/octocat`), or families, which end in a slash (`hits.sh/github.com/octocat/`).",
    onDeploy: true,
    parse: parsePeers,
  },
  store: {
    name: "STORE_URL",
    default: "kv:data/counters.kv",
    meaning:
      "`redis://user:password@host:port/database`, `rediss://…` (TLS), several with commas, `redis+cluster://`, `redis+sentinel://host,host/name`, `kv:PATH` (a Deno KV file), `kv:https://…` or `kv:http://…` (a remote Deno KV), `memory:`.",
    onDeploy: true,
    parse: parseStoreUrl,
  },
  replicas: {
    name: "STORE_REPLICAS",
    default: "0",
    meaning: "Redis only: a hit is answered 200 when so many replicas have it.",
    onDeploy: true,
    parse: parseCount,
  },
  hostedStore: {
    name: "HOSTED_STORE_URL",
    default: "",
    meaning:
      "A hosted Redis, as its vendor shows it: `host`, `host:port`, `redis://…`, `rediss://…` or `https://host`. `STORE_URL` wins over it.",
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
      "A Redis key is prefix + id and holds a plain integer; a Deno KV key is `[prefix, id]`.",
    onDeploy: false,
    parse: parsePrefix,
  },
  failFast: {
    name: "FAIL_FAST_STORE",
    default: "0",
    meaning:
      "1: a network store that does not answer within 5 s at start ends the process. 0: the service starts, answers 503 and connects in the background.",
    onDeploy: false,
    parse: parseFlag,
  },
  hostname: {
    name: "HOST",
    default: "0.0.0.0",
    meaning: "The address to listen on: all interfaces, unless this names one.",
    onDeploy: false,
    parse: parseHost,
  },
  port: {
    name: "PORT",
    default: "8000",
    meaning: "0 takes a free one and prints it.",
    onDeploy: false,
    parse: parsePort,
  },
  trustProxy: {
    name: "TRUST_PROXY",
    default: "0",
    meaning:
      "How many proxies of your own stand before the service: visitors are told apart by the n-th entry of `X-Forwarded-For` from the right.",
    onDeploy: false,
    parse: parseCount,
  },
  timeZone: {
    name: "TIME_ZONE",
    default: "UTC",
    meaning: "Whose days are counted: an IANA name, such as `Europe/Berlin`.",
    onDeploy: true,
    parse: parseTimeZone,
  },
} satisfies Record<string, Setting<string | undefined | boolean | number | ServeAs | StoreSetting>>;

/** What Deno Deploy sets, which no owner does. */
export const PLATFORM_VARIABLES = ["DENO_DEPLOY", "DENO_DEPLOYMENT_ID"] as const;

/** Every environment variable that the service reads: also the list in the `start` task's `--allow-env`. */
export const VARIABLES: readonly string[] = [
  ...Object.values(SETTINGS).map(({ name }) => name),
  ...PLATFORM_VARIABLES,
];
