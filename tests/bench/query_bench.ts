import { counterId } from "../../src/domain/counter_id.ts";
import { parseQuery } from "../../src/http/query.ts";

// The rule: parsing costs far less than the answer around it (a bare answer takes 5 to 10 µs).

const documented = new Set(["id", "token", "label", "color", "style"]);
const URLS = {
  "no query": "http://localhost:8000/count",
  "an id": "http://localhost:8000/count?id=user/repo",
  "an encoded id": "http://localhost:8000/count?id=%E6%97%A5%E6%9C%AC",
  "a whole badge":
    "http://localhost:8000/badge?id=user/repo&label=page+views&color=%23ff8800&style=flat",
};

for (const [name, url] of Object.entries(URLS)) {
  Deno.bench({ name: `parseQuery ${name}`, group: name, baseline: true }, () => {
    parseQuery(url, documented);
  });

  Deno.bench({ name: `parseQuery + counterId ${name}`, group: name }, () => {
    counterId(parseQuery(url, documented).query.get("id"));
  });

  Deno.bench({ name: `URLSearchParams ${name}`, group: name }, () => {
    new URL(url).searchParams.get("id");
  });
}
