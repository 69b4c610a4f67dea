import type { PageFacts } from "../../../page/compose.ts";
import { byId, errorMessage, here } from "../../lib/elements.ts";
import { askForSession, isSignedIn, keepSession, sessionToken } from "./session_store.ts";

export { isSignedIn, sessionToken };

/** The facts about the service, from the page. */
export const facts: PageFacts = JSON.parse(byId("facts").textContent);

/** A response that is a problem. */
export class Refused extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

type SessionEvent = "began" | "ended" | "left" | "refused";
let changed: (event: SessionEvent) => void = () => {};

/** Calls a function when the session changes, in this tab or in another one. */
export function onSession(act: (event: SessionEvent) => void) {
  changed = act;
  askForSession(() => act("began"), () => act("left"));
}

function endSession(event: SessionEvent) {
  keepSession(null);
  changed(event);
}

/** Calls the service, as the owner if there is a session. Throws errors that can be shown. */
export async function call(path: string, init: RequestInit = {}) {
  const headers = new Headers(init.headers);
  const token = sessionToken();
  const isOwner = isSignedIn() && !headers.has("authorization");
  if (isOwner && token) headers.set("authorization", `Bearer ${token}`);
  const answer = await fetch(new URL(path, here), { cache: "no-store", ...init, headers })
    .catch((error) => {
      if (init.signal?.aborted) throw error;
      throw new Refused(0, "The server cannot be reached.");
    });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401 && isOwner) {
    if (isSignedIn()) endSession("ended");
    throw new Refused(401, "The session has ended.");
  }
  // Only a proxy answers without problem details.
  const reason = answer.status === 413
    ? "rejected the request as too large (413)."
    : `returned ${answer.status}.`;
  throw new Refused(
    answer.status,
    problem.detail ?? `A proxy in front of the server ${reason}`,
  );
}

/** Calls the service for JSON. */
export async function callForJson(path: string, init?: RequestInit) {
  return await (await call(path, init)).json();
}

/** Reports whether an error means that the session ended. */
export function isOver(error: unknown) {
  return error instanceof Refused && error.status === 401;
}

/** Exchanges the secret, or the token of a sign-in link, for a session. */
async function begin(secret: string) {
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await call("session", { method: "POST", headers });
  keepSession(await answer.text());
  changed("began");
}

const field = byId("secret") as HTMLInputElement;

export function showGate(why: "first" | "ended") {
  byId("gate-title").textContent = why === "ended" ? "The session has ended" : "Sign in";
  byId("gate-why").textContent = why === "ended"
    ? "Sessions last 12 hours. Sign in again and you are back where you were."
    : "The secret is in data/secret next to the counters, or the SECRET_TOKEN that you set. It is sent once and not stored.";
  refuse("");
}

function refuse(reason: string) {
  byId("wrong").textContent = reason;
  field.ariaInvalid = String(reason !== "");
}

function reasonFor(error: unknown, forWrong: string) {
  const message = errorMessage(error);
  // Sessions that are off do not depend on the secret that was typed.
  return isOver(error) && !/sessions are off/i.test(message) ? forWrong : message;
}

byId("gate-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await begin(field.value);
    field.value = "";
  } catch (error) {
    refuse(reasonFor(error, "Incorrect secret."));
    field.select();
  }
});

export function signOut() {
  endSession("left");
}

/** Signs in with the token of a sign-in link, which first leaves the address. */
export async function followLink(token: string) {
  history.replaceState(null, "", "#counters");
  try {
    await begin(token);
  } catch (error) {
    changed("refused");
    refuse(
      reasonFor(
        error,
        "This sign-in link was already used or has expired. Sign in with the secret instead.",
      ),
    );
  }
}
