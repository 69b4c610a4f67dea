import type { PageFacts } from "../../../page/compose.ts";
import { here } from "../../lib/browser.ts";
import type { DayHits } from "../../lib/figures.ts";
import { byId } from "../../lib/make.ts";
import { createPauses } from "../../lib/pauses.ts";
import { errorMessage } from "../../lib/words.ts";
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

const gate = byId<HTMLDialogElement>("gate", {
  // Browsers close a dialog at the second Escape, whatever its page wants.
  cancel: (event) => event.preventDefault(),
  close: () => renewed && signOut(),
});
byId("leave", { click: signOut });
/** Resolves once there is a session in place of one that ended. */
let renewed: PromiseWithResolvers<void> | undefined;
let begun: () => void = () => {};

/** Calls a function when a session begins, in this tab or in another one. */
export function onSession(act: () => void) {
  begun = act;
  askForSession(follow, leave);
}

/** Goes on where an ended session stopped, or begins. */
function follow() {
  if (!renewed) return begun();
  renewed.resolve();
  renewed = undefined;
  gate.close();
}

/** Shows the page of a visitor. Loading it again leaves nothing of the owner's in it. */
function leave() {
  history.replaceState(null, "", "#badges");
  location.reload();
}

export function signOut() {
  keepSession(null);
  leave();
}

/** Asks for the secret above the page, which is hidden and keeps what was typed. */
function renew() {
  if (renewed) return renewed.promise;
  renewed = Promise.withResolvers();
  byId("gate-title").textContent = "The session has ended";
  byId("gate-why").textContent =
    "Sessions last 12 hours. Sign in again and you are back where you were.";
  byId("leave").hidden = false;
  refuse("");
  gate.close();
  gate.showModal();
  return renewed.promise;
}

/**
 * Calls the service, as the owner if there is a session. Once it has ended, the request waits
 * for a new one. Throws errors that can be shown.
 */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
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
    if (token === sessionToken()) await renew();
    return call(path, init);
  }
  // Only a proxy answers without problem details.
  const size = answer.status === 413 ? " (too large)" : "";
  const reason = problem.detail ??
    `A proxy in front of the server returned ${answer.status}${size}.`;
  throw new Refused(answer.status, reason);
}

/** Calls the service for JSON. */
export async function callForJson(path: string, init?: RequestInit) {
  return await (await call(path, init)).json();
}

/** A line of `/counters`. */
export interface Line {
  id: string;
  hits: number;
  days?: DayHits;
}

/** Calls the service for lines, and takes each. The page can draw in between. */
export async function callForLines(
  path: string,
  init: RequestInit,
  take: (line: Line) => void,
) {
  const text = await (await call(path, init)).text();
  const lines = text.trimEnd().split("\n");
  if (!lines.pop()?.startsWith('{"counters":')) throw new Error("The list was cut off.");
  const pause = createPauses(init.signal ?? undefined);
  for (const line of lines) {
    take(JSON.parse(line));
    await pause();
  }
}

const field = byId<HTMLInputElement>("secret");

/** Shows the form to sign in as a view of its own, or hides it. */
export function toggleGate(isShown: boolean) {
  if (renewed) return;
  if (!isShown) gate.close();
  else if (!gate.open) {
    refuse("");
    gate.show();
  }
}

function refuse(reason: string) {
  byId("wrong").textContent = reason;
  field.ariaInvalid = String(reason !== "");
}

/**
 * Exchanges the secret, or the token of a sign-in link, for a session. Otherwise it asks for the
 * secret, and says why. `forWrong` is the reason if there is no such secret or token.
 */
async function begin(secret: string, forWrong: string) {
  try {
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await call("session", { method: "POST", headers });
    keepSession(await answer.text());
    field.value = "";
    follow();
  } catch (error) {
    if (!gate.open) begun();
    const message = errorMessage(error);
    const isRefused = error instanceof Refused && error.status === 401;
    // Sessions that are off do not depend on the secret that was typed.
    refuse(isRefused && !/sessions are off/i.test(message) ? forWrong : message);
    field.select();
  }
}

byId("gate-form", {
  submit(event) {
    event.preventDefault();
    begin(field.value, "That is not the secret of this server.");
  },
});

/** Signs in with the token of a sign-in link, which first leaves the address. */
export function followLink(token: string) {
  history.replaceState(null, "", "#counters");
  begin(
    token,
    "This sign-in link was already used or has expired. Sign in with the secret instead.",
  );
}
