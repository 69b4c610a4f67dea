// Keeps what GitHub forgets after 14 days: sends the views and clones of repositories to Tallymark, day by day.
// It can be run any number of times, late or twice: each day becomes the largest number that was seen of it.
//
//   REPOSITORIES="octocat/hello octocat/other" GITHUB_TOKEN=… TALLYMARK_URL=https://hits.example.com \
//     TALLYMARK_TOKEN=… node traffic.mjs
const { GITHUB_API_URL = "https://api.github.com", GITHUB_TOKEN, TALLYMARK_URL, TALLYMARK_TOKEN } =
  process.env;
const repositories = (process.env.REPOSITORIES ?? "").split(/[\s,]+/).filter(Boolean);
const failures = [];

for (const name of ["REPOSITORIES", "GITHUB_TOKEN", "TALLYMARK_URL", "TALLYMARK_TOKEN"]) {
  if (!process.env[name]) failures.push(`${name} is not set`);
}
if (failures.length === 0) {
  const lines = [];
  for (const repository of repositories) {
    for (const [kind, people] of [["views", "uniques"], ["clones", "cloners"]]) {
      try {
        const days = (await trafficOf(repository, kind))[kind];
        for (const [counter, field] of [[kind, "count"], [people, "uniques"]]) {
          const numbers = days.map((day) => [day.timestamp.slice(0, 10), day[field]]);
          // A line without days would say nothing.
          if (numbers.length > 0) {
            lines.push({
              id: `github/${repository}/${counter}`,
              days: Object.fromEntries(numbers),
            });
          }
        }
      } catch (error) {
        failures.push(`${repository} ${kind}: ${error.message}`);
      }
    }
  }
  if (lines.length > 0) {
    await send(lines).catch((error) =>
      failures.push(`${new URL(TALLYMARK_URL).host}: ${error.message}`)
    );
  }
}
for (const failure of failures) console.error(failure);
process.exit(failures.length > 0 ? 1 : 0);

/** GitHub's numbers of the last 14 days; waits as long as a rate limit asks for, three times. */
async function trafficOf(repository, kind) {
  for (let attempt = 1;; attempt++) {
    const response = await fetch(`${GITHUB_API_URL}/repos/${repository}/traffic/${kind}`, {
      headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: "application/vnd.github+json" },
    });
    if (response.ok) return await response.json();
    await response.body?.cancel();
    const wait = Number(response.headers.get("retry-after") ?? NaN);
    const isLimit = [403, 429].includes(response.status) && wait >= 0 && wait <= 300;
    if (!isLimit || attempt === 3) {
      // GitHub's "Rate limits for the REST API": a limit that is used up ends within an hour.
      const isUsedUp = response.headers.get("x-ratelimit-remaining") === "0";
      const hint = isLimit || isUsedUp
        ? ": its rate limit is used up, run this again in an hour"
        : response.status === 403
        ? ": the token must be allowed to read the repository's administration"
        : "";
      throw new Error(`GitHub answered ${response.status}${hint}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
  }
}

async function send(lines) {
  const response = await fetch(`${TALLYMARK_URL}/counters?mode=max`, {
    method: "POST",
    headers: { "X-Auth-Token": TALLYMARK_TOKEN },
    body: lines.map((line) => JSON.stringify(line)).join("\n"),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Tallymark answered ${response.status}: ${text.slice(0, 300)}`);
  console.log(`${lines.length} counters brought up to date`);
}
