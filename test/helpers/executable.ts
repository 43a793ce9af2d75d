import { existsSync, mkdirSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../../.ci/build.ts";
import { sharedPart } from "./shared.ts";

const root = join(import.meta.dir, "..", "..");
const FILES = ["cli.ts", "package.json", "bun.lock", ".ci/build.ts"];
const FOLDERS = ["server", "store", "viewer", "fixtures"];

/** Path of the program compiled from the sources as they are, built when a source is newer than it. */
export async function executable(): Promise<string> {
  const shared = await sharedPart("executable");
  if (shared !== null) return shared;
  const outfile = join(root, "dist", process.platform === "win32" ? "tracedeck-test.exe" : "tracedeck-test");
  mkdirSync(join(root, "dist"), { recursive: true });
  if (existsSync(outfile) && statSync(outfile).mtimeMs >= newestSource()) return outfile;
  const started = new Date();
  await buildExecutable({ outfile });
  // As old as what it was built from: a source that changed during the build is newer.
  utimesSync(outfile, started, started);
  return outfile;
}

function newestSource(): number {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  return Math.max(...[...FILES, ...files].map((file) => statSync(join(root, file)).mtimeMs));
}
