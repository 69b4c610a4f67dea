const SESSION = "tallymark-session";

/** Returns the session as it was created, or null. Some browsers refuse storage in a frame. */
function stored() {
  try {
    return sessionStorage.getItem(SESSION);
  } catch {
    return null;
  }
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
const tabs = new BroadcastChannel(SESSION);

/** Keeps a session for this tab and others, or ends it in all of them. */
export function keepSession(session: string | null) {
  store(session);
  tabs.postMessage({ session });
}

function store(session: string | null) {
  if (session === null) sessionStorage.removeItem(SESSION);
  else sessionStorage.setItem(SESSION, session);
}

/** Asks other tabs for a session. Calls a function when another tab begins or ends it. */
export function askForSession(began: () => void, ended: () => void) {
  tabs.addEventListener("message", ({ data }) => {
    if (data === "ask") {
      const session = stored();
      if (session !== null) tabs.postMessage({ session });
    } else if (data.session === null) {
      if (!isSignedIn()) return;
      store(null);
      ended();
    } else if (!isSignedIn()) {
      store(data.session);
      began();
    }
  });
  if (!isSignedIn()) tabs.postMessage("ask");
}
