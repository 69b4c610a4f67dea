// @ts-check
/// <reference lib="dom" />
import { byId, messageOf } from "./elements.js";

const SESSION = "tallymark-session";
export const here = new URL(".", location.href);

/**
 * What the service says of itself, as its `PageFacts` describe it.
 * @typedef {{ default?: string | number, enum?: string[], minimum?: number, maximum?: number, in?: number[], unseen?: number[], counting?: false, shields?: true }} Control
 * @type {{ controls: Record<string, Control>, defaults: Record<string, string | number>, openReads: boolean }}
 */
export const facts = JSON.parse(byId("facts").textContent);

/** An answer that is a problem. */
export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @typedef {"began" | "ended" | "left" | "refused"} SessionEvent */
/** @type {(event: SessionEvent) => void} */
let changed = () => {};

/** @param {(event: SessionEvent) => void} act */
export function onSession(act) {
  changed = act;
}

/** @returns {string | undefined} */
export function sessionToken() {
  const { token, expires } = JSON.parse(sessionStorage.getItem(SESSION) ?? "{}");
  return Date.parse(expires) > Date.now() ? token : undefined;
}

/** Whether the owner is signed in, or was until the session ended, which the page has not noticed yet. */
export function isSignedIn() {
  return sessionStorage.getItem(SESSION) !== null;
}

/** @param {SessionEvent} event */
function endSession(event) {
  sessionStorage.removeItem(SESSION);
  changed(event);
}

/** Calls the service as the owner if there is a session; throws an error that can be shown. @param {string} path @param {RequestInit} [init] */
export async function call(path, init = {}) {
  const headers = new Headers(init.headers);
  const token = sessionToken();
  const isOwner = isSignedIn() && !headers.has("authorization");
  if (isOwner && token) headers.set("authorization", `Bearer ${token}`);
  const answer = await fetch(new URL(path, here), { cache: "no-store", ...init, headers })
    .catch((error) => {
      if (init.signal?.aborted) throw error;
      throw new Refused(0, "The service cannot be reached.");
    });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401 && isOwner) {
    if (isSignedIn()) endSession("ended");
    throw new Refused(401, "The session has ended.");
  }
  throw new Refused(answer.status, problem.detail ?? reasonOf(answer.status));
}

/** Calls the service for JSON. @param {string} path @param {RequestInit} [init] */
export async function callForJson(path, init) {
  return await (await call(path, init)).json();
}

/** Whether the session is over, which has a view of its own. @param {unknown} error */
export function isOver(error) {
  return error instanceof Refused && error.status === 401;
}

/** What a status means that the service itself did not explain. @param {number} status */
function reasonOf(status) {
  if (status === 413) {
    return "A proxy in front of the service does not let through requests this large (413).";
  }
  return `Something between this page and the service answers ${status}.`;
}

/** Exchanges the secret, or the token of a sign-in link, for a session. @param {string} secret */
async function begin(secret) {
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await call("session", { method: "POST", headers });
  sessionStorage.setItem(SESSION, await answer.text());
  changed("began");
}

const field = /** @type {HTMLInputElement} */ (byId("secret"));

/** @param {"first" | "ended"} why */
export function showGate(why) {
  byId("gate-title").textContent = why === "ended" ? "The session has ended" : "Sign in";
  byId("gate-why").textContent = why === "ended"
    ? "Sessions last 12 hours. Sign in again and you are back where you were."
    : "With the secret of this server. It is sent once and not kept.";
  refuse("");
}

/** @param {string} reason */
function refuse(reason) {
  byId("wrong").textContent = reason;
  field.ariaInvalid = String(reason !== "");
}

/** @param {unknown} error @param {string} forWrong */
function reasonFor(error, forWrong) {
  const message = messageOf(error);
  // That sessions are off is said by the service, and has nothing to do with what was typed.
  return isOver(error) && !/sessions are off/i.test(message) ? forWrong : message;
}

byId("gate-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await begin(field.value);
    field.value = "";
  } catch (error) {
    refuse(reasonFor(error, "That is not the secret of this server."));
    field.select();
  }
});

export function signOut() {
  endSession("left");
}

/** Signs in with what the link in the terminal carries; the address loses it before anything else happens. @param {string} token */
export async function followLink(token) {
  history.replaceState(null, "", "#counters");
  try {
    await begin(token);
  } catch (error) {
    changed("refused");
    refuse(
      reasonFor(
        error,
        "This link was used before or is older than ten minutes. The secret opens the page as well.",
      ),
    );
  }
}
