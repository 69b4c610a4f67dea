import { keep, kept, nameInBrowser } from "../../lib/storage.ts";

const SESSION = "session";

/** Returns the session as it was created, or null. */
function stored() {
  return kept("sessionStorage", SESSION);
}

export function sessionToken(): string | undefined {
  const { token, expires } = JSON.parse(stored() ?? "{}");
  return Date.parse(expires) > Date.now() ? token : undefined;
}

/** Reports whether there is a session, which may have expired since the last call. */
export function isSignedIn() {
  return stored() !== null;
}

/** Other tabs of this browser. A session lasts until the last of them closes. */
const tabs = new BroadcastChannel(nameInBrowser(SESSION));

/** Keeps a session for this tab and others, or ends it in all of them. */
export function keepSession(session: string | null) {
  if (!keep("sessionStorage", SESSION, session)) {
    throw new Error("Allow this page to store data in your browser, then sign in again.");
  }
  tabs.postMessage({ session });
}

/** Asks other tabs for a session. Calls a function when another tab begins or ends it. */
export function askForSession(began: () => void, ended: () => void) {
  tabs.addEventListener("message", ({ data }: MessageEvent<{ session: string | null } | "ask">) => {
    if (data === "ask") {
      if (sessionToken()) tabs.postMessage({ session: stored() });
    } else if (data.session !== stored()) {
      keep("sessionStorage", SESSION, data.session);
      if (data.session === null) ended();
      else began();
    }
  });
  if (!isSignedIn()) tabs.postMessage("ask");
}
