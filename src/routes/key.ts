import { JOBS, keyPrefix, parseAddress, to } from "../auth/keys.ts";
import { type Endpoint, endpoint, idParameter } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { jsonResponse } from "../http/response.ts";
import { json, operation, success } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import type { Service } from "../service.ts";

const read = idParameter(
  "read",
  "Instead of `id`: a group whose numbers the key shall open, as in `blog/`. Such a key counts nothing.",
);

const job = {
  name: "job",
  meaning:
    "Instead of `id`: the job whose key is wanted, as one that needs no secret. With `import`, `prefix` names the counters that it may import.",
  schema: { type: "string", enum: JOBS },
  isStrict: true,
} as const satisfies Parameter;

const link = {
  ...to,
  meaning: "With `id`: the address of a link, whose key for `/go` is returned.",
} as const satisfies Parameter;

/** `GET /key`: the key of a counter, a link, a group, the numbers of a group, or a job. */
export function counterKey({ access }: Service): Endpoint {
  return endpoint("counter or prefix", {
    summary: "Get the key of a counter, of a link, of a group or of a job",
    parameters: [read, job, link],
    parse(query) {
      const given = (["id", "prefix", "read", "job", "to"] as const)
        .filter((name) => query.get(name) !== undefined);
      const job = JOBS.find((name) => name === query.get("job"));
      const read = query.get("read");
      const to = query.get("to");
      if (to !== undefined) {
        if (given.join() !== "id,to") throw new Problem("bad-query", { detail: ID_WITH_TO });
        return { job, read: undefined, to: parseAddress(to) };
      }
      // Without a prefix, a key that imports could replace every counter.
      const isAlone = given.join() === (job === "import" ? "prefix,job" : job ? "job" : "read");
      if (isAlone || (job ?? read) === undefined) {
        return { job, read: read === undefined ? read : keyPrefix(read), to: undefined };
      }
      throw new Problem("bad-query", { detail: ALONE });
    },
    respond({ id, isPrefix }, { job, read, to }) {
      const keys = access.keysFor("Counter keys");
      if (to !== undefined) {
        const body = { id, to: to.href, ...keys.make("link", id, to) };
        return jsonResponse(body);
      }
      const group = isPrefix ? keyPrefix(id) : undefined;
      const subject = group === undefined ? { id } : { prefix: group };
      const body = job !== undefined
        ? { job, ...group && subject, key: keys.makeForJob(job, group) }
        : read !== undefined
        ? { read, ...keys.make("read", read) }
        : { ...subject, ...keys.make(group === undefined ? "counter" : "prefix", id) };
      return jsonResponse(body);
    },
    openapi: operation(
      "Counters",
      "Key",
      success("The key.", json("Key", "LinkKey", "GroupKey", "ReadKey", "JobKey")),
    ),
  });
}

const ALONE =
  "Send read or job without the other and without id and prefix, except for job=import, which needs the prefix of the counters to import.";
const ID_WITH_TO =
  "Send to with id and without prefix, read and job, because a link counts one counter.";
