// Prepares the programs that some tests start. Nothing is installed: packages are unpacked into
// .cache, which git ignores.
import { delimiter, join } from "node:path";
import { type Apt, openApt, run } from "./debian.ts";
import {
  cacheFolder,
  findOnPath,
  isFile,
  projectFolder,
  scriptFolder,
  strictRun,
} from "./programs.ts";

/** Programs that are fetched together unless the machine has the first one. */
interface Needed {
  /** Each command with its path in the packages. */
  readonly programs: Readonly<Record<string, string>>;
  /** Other names under which a machine may have the first program. */
  readonly aliases?: readonly string[];
  readonly packages: readonly string[];
  /** True if packages that these depend on are not needed. */
  readonly withoutDependencies?: true;
  /** Another release of Debian, whose programs need a C library and loader of their own. */
  readonly release?: string;
  /** Environment variables. `$root` is the folder that the packages are unpacked into. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The argument that shows the version; `--version` by default. */
  readonly version?: string;
  /** True if CI runs do without it. */
  readonly isOptional?: true;
}

const NEEDED: readonly Needed[] = [
  {
    programs: { "redis-server": "usr/bin/redis-server", "redis-cli": "usr/bin/redis-cli" },
    packages: ["redis-server"],
  },
  { programs: { nginx: "usr/sbin/nginx" }, packages: ["nginx"], version: "-v" },
  { programs: { caddy: "usr/bin/caddy" }, packages: ["caddy"], version: "version" },
  {
    programs: {
      chromium: "usr/lib/chromium/chromium",
      "chromium-headless-shell": "usr/lib/chromium/chromium-headless-shell",
    },
    aliases: ["chromium-browser", "google-chrome"],
    packages: ["chromium", "chromium-headless-shell", "fonts-liberation"],
    variables: { FONTCONFIG_FILE: "$root/fonts.conf" },
  },
  {
    // Takes a third of the time of the whole Chromium, which a machine may have without it.
    programs: { "chromium-headless-shell": "usr/lib/chromium/chromium-headless-shell" },
    packages: ["chromium-headless-shell", "chromium-common"],
    withoutDependencies: true,
    isOptional: true,
  },
  {
    programs: { openssl: "usr/bin/openssl" },
    packages: ["openssl"],
    variables: { OPENSSL_CONF: "$root/etc/ssl/openssl.cnf" },
    version: "version",
  },
  { programs: { curl: "usr/bin/curl" }, packages: ["curl"] },
  { programs: { jq: "usr/bin/jq" }, packages: ["jq"] },
  { programs: { sqlite3: "usr/bin/sqlite3" }, packages: ["sqlite3"] },
  { programs: { strace: "usr/bin/strace" }, packages: ["strace"] },
  {
    programs: { "systemd-analyze": "usr/bin/systemd-analyze" },
    packages: ["systemd"],
    variables: { SYSTEMD_UNIT_PATH: "$root/lib/systemd/system" },
  },
  {
    programs: { promtool: "usr/bin/promtool" },
    packages: ["prometheus"],
    withoutDependencies: true,
    isOptional: true,
  },
  {
    programs: {
      "valkey-server-8.1": "usr/bin/valkey-server",
      "redis-server-8.0": "usr/bin/redis-server",
    },
    packages: [
      ...["valkey-server", "valkey-tools", "redis-server", "redis-tools", "libc6", "libatomic1"],
      ...["libjemalloc2", "liblzf1", "libsystemd0", "libssl3t64", "libcap2", "libgcc-s1"],
      ...["libstdc++6", "zlib1g", "libzstd1"],
    ],
    withoutDependencies: true,
    release: "trixie",
    isOptional: true,
  },
];

/** The fonts of the packages in the folder of this file. */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>Liberation Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>Liberation Mono</family></prefer></alias>
</fontconfig>
`;

if (import.meta.main) {
  const apts = new Map<string | undefined, Apt>();
  let isIncomplete = false;
  for (const needed of NEEDED) {
    const [name = "", ...others] = Object.keys(needed.programs);
    if (findOnPath([name, ...needed.aliases ?? []]) !== undefined) continue;
    if (!apts.has(needed.release)) apts.set(needed.release, openApt(needed.release));
    try {
      await prepare(needed, apts.get(needed.release));
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      const all = [name, ...others].join(" and ");
      console.error(
        `${all}: not found and not fetched (${cause}). Tests that need it are ignored.`,
      );
      isIncomplete ||= !needed.isOptional;
    }
  }
  for (const apt of apts.values()) await apt[Symbol.asyncDispose]();
  // The first bundle puts esbuild into Deno's cache. Deno fails if two do so at the same time.
  const source = join(projectFolder, "src/browser/embed/page_id.ts");
  await run(Deno.execPath(), ["bundle", "-q", "-o", join(cacheFolder, "bundle.js"), source]);
  if (isIncomplete && strictRun) Deno.exit(1);
}

/**
 * Fetches programs unless they were fetched before, and puts scripts that start them on the PATH.
 */
async function prepare(needed: Needed, apt: Apt | undefined): Promise<void> {
  const { packages, release, withoutDependencies = false } = needed;
  const folder = release ?? packages[0] ?? "";
  const root = join(cacheFolder, folder);
  const paths = Object.values(needed.programs);
  if (!paths.every((path) => isFile(join(root, path)))) {
    if (findOnPath(["apt-get"]) === undefined) throw new Error("this machine has no apt");
    console.log(`Fetching ${Object.keys(needed.programs).join(" and ")}`);
    await apt?.unpack({ folder: root, packages, withDependencies: !withoutDependencies });
  }
  await Deno.writeTextFile(join(root, "fonts.conf"), FONTS_CONF);
  await Deno.mkdir(scriptFolder, { recursive: true });
  for (const [name, path] of Object.entries(needed.programs)) {
    const script = join(scriptFolder, name);
    await Deno.writeTextFile(script, startScript(folder, path, needed), { mode: 0o755 });
    try {
      await run(script, [needed.version ?? "--version"]);
    } catch (error) {
      await Deno.remove(script);
      throw error;
    }
  }
}

/** Returns a script that starts a program with its own libraries, wherever the project is. */
function startScript(folder: string, path: string, { release, variables = {} }: Needed): string {
  const libraries = libraryFolders(join(cacheFolder, folder))
    .map((place) => `$root/${place}`).join(delimiter);
  const loader = `"$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "${libraries}" `;
  const all = release === undefined ? { LD_LIBRARY_PATH: libraries, ...variables } : variables;
  return [
    "#!/bin/sh",
    `root=\${0%/*}/../${folder}`,
    ...Object.entries(all).map(([name, value]) => `export ${name}="${value}"`),
    `exec ${release === undefined ? "" : loader}"$root/${path}" "$@"`,
    "",
  ].join("\n");
}

/** Returns the folders below `root` that hold shared libraries, relative to it. */
function libraryFolders(root: string): string[] {
  const systems = ["usr/lib", "lib"].flatMap((lib) =>
    foldersIn(join(root, lib)).filter((name) => name.includes("-linux-"))
      .map((name) => `${lib}/${name}`)
  );
  const special = systems.flatMap((lib) =>
    foldersIn(join(root, lib)).filter((name) => ["pulseaudio", "nss", "systemd"].includes(name))
      .map((name) => `${lib}/${name}`)
  );
  return ["usr/lib", "lib", ...systems, ...special];
}

function foldersIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory)
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
