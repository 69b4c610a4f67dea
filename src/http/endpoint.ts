import type { Parameter } from "../parameter.ts";
import type { Problem } from "../problem.ts";
import type { AccessLevel } from "../auth/access.ts";
import type { Audience, WordForm } from "./answer.ts";

/** What an endpoint is, said once: everything else that lists endpoints is made from these. */
export interface EndpointFacts<Name extends string = string> {
  readonly path: string;
  /** Every method that it answers, as `Allow` lists them; `OPTIONS` is the preflight of CORS. */
  readonly methods: readonly string[];
  /** What it does, in a few words. */
  readonly summary: string;
  /** What its query may hold, beside what opens it. */
  readonly parameters: readonly Parameter<Name>[];
  readonly admits: AccessLevel;
  /** Whose pages may read its answers, beside those that give a key. */
  readonly audience: Audience;
  /** How it fails: in words, whose form may depend on the URL, or in pictures. */
  readonly errors: WordForm | ((url: string) => WordForm) | "svg";
}

/** Who is at the other end of a connection, as Deno tells it; nothing where there is no connection. */
export interface Peer {
  readonly remoteAddr?: { readonly hostname?: string };
}

/** What an endpoint does. */
export interface Work {
  handle(request: Request, peer: Peer): Response | Promise<Response>;
  /** The picture of a problem, where it fails in pictures. */
  readonly draw?: ((problem: Problem, request: Request) => string) | undefined;
  /** Is told of every problem that it answers with. */
  readonly onProblem?: ((problem: Problem, request: Request) => void) | undefined;
}

/** One thing that the service does under one path. */
export interface Endpoint extends EndpointFacts {
  /** What it does, or what loads so much that it should not make the start wait. */
  readonly work: Work | (() => Promise<Work>);
}

/** The methods of an endpoint that reads for its owner or for people. */
export const READ: readonly string[] = ["GET", "HEAD"];
/** The methods of an endpoint that pages of other sites may read. */
export const SHARED_READ: readonly string[] = [...READ, "OPTIONS"];
