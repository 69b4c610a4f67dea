import { join } from "node:path";
import { kvFilesAsLeft } from "../support/kv_files.ts";
import { type LocalService, startLocalService } from "../support/local_service.ts";
import { SECRET } from "../support/secret.ts";

/** Returns the path of the counter file of a service that runs in a folder. */
export function fileIn(folder: string): string {
  return join(folder, "data", "counters.kv");
}

/** Starts a service in this process on the counter file of a folder. */
export async function startOnFile(folder: string): Promise<LocalService> {
  const STORE_URL = `kv:${fileIn(folder)}`;
  return await startLocalService({ SECRET_TOKEN: SECRET, PUBLIC_READS: "1", STORE_URL });
}

/** Uses a service on the counter file of a folder, which is then as if its process was killed. */
export async function useAndKill<Result>(
  folder: string,
  use: (service: LocalService) => Promise<Result>,
): Promise<Result> {
  const service = await startOnFile(folder);
  const result = await use(service);
  const left = kvFilesAsLeft(fileIn(folder));
  await service[Symbol.asyncDispose]();
  left.restore();
  return result;
}
