import { type CounterId, counterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import { Problem } from "../problem.ts";
import { type Access, CREDENTIALS, type Grant } from "../auth/access.ts";
import type { Endpoint, EndpointFacts, Peer, Work } from "./endpoint.ts";
import type { Parameter } from "../parameter.ts";
import type { Decisions } from "../hits/decisions.ts";
import type { HitPolicy } from "../hits/hit_policy.ts";
import { id as idParameter } from "./parameters.ts";
import { checkValues, parseQuery, type Query } from "./query.ts";
import type { Readers } from "./readers.ts";

/** What the endpoints of counters stand on. */
export interface CounterService extends HitPolicy {
  counters: Counters;
  access: Access;
  readers: Readers;
  decisions: Decisions;
  /** Whether a body that breaks off does so because the service ends. */
  isShuttingDown(): boolean;
}

/** A request about one counter, understood and admitted. */
export interface CounterRequest<Name extends string = never> {
  readonly request: Request;
  readonly query: Query<Name>;
  readonly id: CounterId;
  readonly grant: Grant;
  readonly peer: Peer;
}

/** What an endpoint does with an admitted request about a counter. */
export interface CounterWork<Name extends string, Found> extends Pick<Work, "draw" | "onProblem"> {
  /** Asks for what the answer tells, or does what was asked for. */
  find(asked: CounterRequest<Name>): Found | Promise<Found>;
  /** What to answer with where the store fails; throws the error on where there is nothing. */
  readonly recover?: (error: unknown, asked: CounterRequest<Name>) => Found;
  answer(found: Found, asked: CounterRequest<Name>): Response;
}

/** An endpoint that is about one counter, named by `id`. */
export interface CounterEndpoint<Name extends string, Found> extends EndpointFacts<Name> {
  /** Throws the problem with values that do not go together, before anyone is admitted. */
  readonly check?: (query: Query<Name | "id">) => void;
  readonly work: CounterWork<Name, Found> | (() => Promise<CounterWork<Name, Found>>);
}

/** Makes the endpoint whose every request goes the one way: query, id, admission, find, answer. */
export function counterEndpoint<Name extends string, Found>(
  endpoint: CounterEndpoint<Name, Found>,
  { access }: CounterService,
): Endpoint {
  const { work, admits, check } = endpoint;
  const parameters: readonly Parameter<Name | "id">[] = [idParameter, ...endpoint.parameters];
  const documented = new Set([...parameters, ...CREDENTIALS[admits]].map(({ name }) => name));
  const validated = parameters.filter(({ accepts }) => accepts !== undefined);
  const admit = access.check[admits];

  function open(work: CounterWork<Name, Found>): Work {
    const finish = findAndAnswer(work);
    return {
      handle(request, peer) {
        const query = parseQuery(request.url, documented);
        checkValues(query, validated);
        check?.(query);
        if (request.method === "POST") refuseBody(request);
        const id = counterId(query.get("id"));
        const grant = admit({ request, query, id });
        return grant instanceof Promise
          ? grant.then((grant) => finish({ request, query, id, grant, peer }))
          : finish({ request, query, id, grant, peer });
      },
      draw: work.draw,
      onProblem: work.onProblem,
    };
  }

  return {
    ...endpoint,
    parameters,
    work: typeof work === "function" ? async () => open(await work()) : open(work),
  };
}

/** Answers at once what is known at once: waiting for a promise costs a read a fifteenth of its time. */
function findAndAnswer<Name extends string, Found>(
  { find, recover, answer }: CounterWork<Name, Found>,
): (asked: CounterRequest<Name>) => Response | Promise<Response> {
  return (asked) => {
    const found = find(asked);
    if (!(found instanceof Promise)) return answer(found, asked);
    return found.then(
      (found) => answer(found, asked),
      recover && ((error) => answer(recover(error, asked), asked)),
    );
  };
}

/** A form or a JSON body would be overlooked, and the default counter counted in silence. */
function refuseBody({ headers }: Request): void {
  const length = headers.get("content-length");
  if (length === null ? headers.get("transfer-encoding") !== null : Number(length) > 0) {
    throw new Problem("bad-body", { detail: "The id belongs in the query: send no body." });
  }
}
