import { deepStrictEqual } from "node:assert/strict";
import { LOCAL_HOST } from "../../../../src/browser/embed/local_host.js";

Deno.test("files, this machine and private networks are local hosts, and names that only resemble them are not", () => {
  const local = [
    "",
    "localhost",
    "tauri.localhost",
    "blog.local",
    "[::1]",
    "[fd00::7]",
    "[fe80::1]",
  ]
    .concat(["127.0.0.1", "10.0.0.7", "192.168.0.7", "172.16.0.1", "172.31.0.1"]);
  deepStrictEqual(local.filter((host) => !LOCAL_HOST.test(host)), []);
  const open = ["blog.example", "127.example.com", "10.example", "mylocalhost", "local.example"]
    .concat(["[2001:db8::7]", "172.15.0.1", "172.32.0.1", "192.169.0.1", "100.0.0.1"]);
  deepStrictEqual(open.filter((host) => LOCAL_HOST.test(host)), []);
});
