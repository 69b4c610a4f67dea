import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { callerOf, type Proxies } from "../../../src/hits/caller_address.ts";

interface Row {
  forwarded: string | null;
  proxies: Proxies;
  caller: string | undefined;
  remoteAddress?: string;
}

/** Returns the caller of a request with these headers, of which null leaves one out. */
function callerBy(
  headers: Record<string, string | null>,
  proxies: Proxies,
  remoteAddress = REMOTE_ADDRESS,
) {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]]
  );
  const request = new Request("http://localhost/", { headers: new Headers(sent) });
  return callerOf({ request, connection: { remoteAddr: { hostname: remoteAddress } } }, proxies);
}

const REMOTE_ADDRESS = "198.51.100.9";
const LONGEST = "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]";

const rows: Row[] = [
  { forwarded: null, proxies: 0, caller: REMOTE_ADDRESS },
  { forwarded: null, proxies: "deploy", caller: REMOTE_ADDRESS },
  { forwarded: "203.0.113.7", proxies: "deploy", caller: REMOTE_ADDRESS },
  { forwarded: null, proxies: 0, remoteAddress: "::ffff:203.0.113.7", caller: "203.0.113.7" },
  { forwarded: null, proxies: 0, remoteAddress: "2001:DB8::0:1", caller: "[2001:db8::1]" },
  // A proxy that the owner did not tell of.
  { forwarded: "203.0.113.7", proxies: 0, caller: undefined },
  { forwarded: "", proxies: 0, caller: undefined },
  // As many as the owner told of; whatever a caller put before it does not matter.
  { forwarded: "203.0.113.7", proxies: 1, caller: "203.0.113.7" },
  { forwarded: "192.0.2.1, 203.0.113.7", proxies: 1, caller: "203.0.113.7" },
  { forwarded: "rubbish, <b>, 203.0.113.7", proxies: 1, caller: "203.0.113.7" },
  { forwarded: "203.0.113.7,10.0.0.1", proxies: 2, caller: "203.0.113.7" },
  { forwarded: "192.0.2.1, 203.0.113.7, 10.0.0.1", proxies: 2, caller: "203.0.113.7" },
  // Readers within the owner's network.
  { forwarded: "10.0.0.7", proxies: 1, caller: "10.0.0.7" },
  { forwarded: "unknown, 10.0.0.7", proxies: 1, caller: "10.0.0.7" },
  { forwarded: "192.168.1.7, 10.0.0.7", proxies: 1, caller: "10.0.0.7" },
  { forwarded: "fd00::7, 10.0.0.7", proxies: 1, caller: "10.0.0.7" },
  { forwarded: "203.0.113.7, 192.168.1.7, 10.0.0.7", proxies: 2, caller: undefined },
  { forwarded: "203.0.113.7, 192.168.1.7, 10.0.0.7", proxies: 1, caller: "10.0.0.7" },
  // Spellings.
  { forwarded: " 203.0.113.7:4711 ", proxies: 1, caller: "203.0.113.7" },
  { forwarded: "[2001:db8::7]:443", proxies: 1, caller: "[2001:db8::7]" },
  { forwarded: "2001:DB8:0:0::7", proxies: 1, caller: "[2001:db8::7]" },
  { forwarded: "[fe80::7%eth0]", proxies: 1, caller: "[fe80::7]" },
  { forwarded: "fe80::7%25eth0", proxies: 1, caller: "[fe80::7]" },
  { forwarded: "::ffff:203.0.113.7", proxies: 1, caller: "203.0.113.7" },
  { forwarded: "::ffff:cb00:7107", proxies: 1, caller: "203.0.113.7" },
  { forwarded: "64:ff9b::203.0.113.7", proxies: 1, caller: "203.0.113.7" },
  { forwarded: "64:ff9b:1::203.0.113.7", proxies: 1, caller: "[64:ff9b:1::cb00:7107]" },
  // Fewer than told of, more than told of, or no address where the caller's should be.
  { forwarded: null, proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7", proxies: 2, caller: undefined },
  { forwarded: "203.0.113.7, 10.0.0.1", proxies: 1, caller: undefined },
  { forwarded: "2001:db8::7, fd00::1", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, unknown", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, _hidden", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, ", proxies: 1, caller: undefined },
  { forwarded: ",", proxies: 1, caller: undefined },
  { forwarded: ",203.0.113.7", proxies: 1, caller: "203.0.113.7" },
  { forwarded: ",203.0.113.7", proxies: 2, caller: undefined },
  { forwarded: "203.0.113.7, 100.64.0.1", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, 100.127.255.255", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, 100.128.0.0", proxies: 1, caller: "100.128.0.0" },
  { forwarded: "203.0.113.7, 172.31.0.1", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, 172.32.0.1", proxies: 1, caller: "172.32.0.1" },
  { forwarded: "203.0.113.7, ::1", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, fe80::1%eth0", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, febf::1", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, fec0::1", proxies: 1, caller: "[fec0::1]" },
  // Only the last entries are looked at, and none that is longer than an address can be.
  { forwarded: `${":".repeat(60_000)}!, 203.0.113.7`, proxies: 1, caller: "203.0.113.7" },
  { forwarded: `203.0.113.7, ${":".repeat(60_000)}!`, proxies: 1, caller: undefined },
  { forwarded: `203.0.113.7${" ".repeat(60_000)}:80`, proxies: 1, caller: undefined },
  { forwarded: "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", proxies: 1, caller: LONGEST },
  { forwarded: "0203.0.113.7", proxies: 1, caller: undefined },
  { forwarded: "999.0.113.7", proxies: 1, caller: undefined },
  { forwarded: "1.2.3", proxies: 1, caller: undefined },
  { forwarded: "1.2.3.4.", proxies: 1, caller: undefined },
  { forwarded: "203.0.113.7, fc::1", proxies: 1, caller: "[fc::1]" },
  { forwarded: "203.0.113.7, ::ffff:10.0.0.1", proxies: 1, caller: undefined },
  { forwarded: "01.0.113.7", proxies: 1, caller: undefined },
  { forwarded: "256.0.113.7", proxies: 1, caller: undefined },
  { forwarded: "255.249.199.0", proxies: 1, caller: "255.249.199.0" },
  { forwarded: "::::", proxies: 1, caller: undefined },
  { forwarded: "[2001:db8::7", proxies: 1, caller: undefined },
  { forwarded: "example.com", proxies: 1, caller: undefined },
];

Deno.test("callerOf() knows no caller whom Cloudflare calls by another address", () => {
  const found = (client: string | null, proxies: Proxies, forwarded: string | null) =>
    callerBy({ "x-forwarded-for": forwarded, "cf-connecting-ip": client }, proxies);
  const both = "203.0.113.7, 172.71.0.9";
  const unknown = { unknown: "Cloudflare is one more proxy than TRUST_PROXY says" };
  deepStrictEqual(found("203.0.113.7", 1, both), unknown);
  deepStrictEqual(found("203.0.113.7", 1, "172.71.0.9"), unknown);
  deepStrictEqual(found("rubbish", 2, both), unknown);
  deepStrictEqual(found("203.0.113.7", 0, null), unknown);
  deepStrictEqual(found("203.0.113.7", 2, both), { address: "203.0.113.7" });
  deepStrictEqual(found("2001:DB8::7", 1, "2001:db8:0::7"), { address: "[2001:db8::7]" });
  deepStrictEqual(found(null, 1, both), { address: "172.71.0.9" });
  // Deno Deploy has no TRUST_PROXY.
  deepStrictEqual(found("203.0.113.7", "deploy", both), { address: REMOTE_ADDRESS });
});

for (const { forwarded, proxies, remoteAddress = REMOTE_ADDRESS, caller } of rows) {
  Deno.test(
    `callerOf() of ${remoteAddress} behind ${proxies} with ${forwarded?.slice(-60)} is ${caller}`,
    () => {
      const found = callerBy({ "x-forwarded-for": forwarded }, proxies, remoteAddress);
      strictEqual("address" in found ? found.address : undefined, caller);
    },
  );
}
