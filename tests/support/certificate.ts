import { join } from "node:path";
import { findOnPath } from "./programs.ts";

/**
 * Paths of a certificate for `localhost` and 127.0.0.1, of its key, and of the authority to trust.
 */
export type Certificate = { authority: string; certificate: string; key: string };

/** True if the openssl program, which makes the certificates, is installed or fetched. */
export const opensslAvailable: boolean = findOnPath(["openssl"]) !== undefined;

/** Makes an authority and a certificate that it signed, both valid for two days, in `folder`. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const path = (name: string) => join(folder, name);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  await openssl([
    ...["req", "-x509", ...newKey, "-subj", "/CN=Tallymark test authority"],
    ...["-keyout", path("authority.key"), "-out", path("authority.pem")],
  ]);
  await openssl([
    ...["req", "-x509", ...newKey, "-subj", "/CN=localhost"],
    ...["-CA", path("authority.pem"), "-CAkey", path("authority.key")],
    ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ...["-addext", "basicConstraints=critical,CA:FALSE"],
    ...["-keyout", path("server.key"), "-out", path("server.pem")],
  ]);
  return {
    authority: path("authority.pem"),
    certificate: path("server.pem"),
    key: path("server.key"),
  };
}

async function openssl(args: string[]): Promise<void> {
  const program = findOnPath(["openssl"]);
  if (program === undefined) throw new Error("Make a certificate: openssl is not installed");
  const output = await new Deno.Command(program, { args, stdin: "null" }).output();
  if (!output.success) {
    throw new Error(`Make a certificate: ${new TextDecoder().decode(output.stderr)}`);
  }
}
