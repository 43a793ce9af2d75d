import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../../.ci/build.ts";

const root = join(import.meta.dir, "..", "..");
const SOURCES = "{cli.ts,package.json,bun.lock,.ci/build.ts,{server,store,viewer,fixtures/samples}/**/*}";

/**
 * Path of the program compiled from the sources as they are. Test files run in several processes: the first that needs
 * it builds it, those that come at the same time build it too, and each puts a whole file in place.
 */
export async function executable(): Promise<string> {
  const outfile = join(root, "dist", process.platform === "win32" ? "tracedeck-test.exe" : "tracedeck-test");
  mkdirSync(join(root, "dist"), { recursive: true });
  if (!existsSync(outfile) || statSync(outfile).mtimeMs < newestSource()) await buildExecutable({ outfile });
  return outfile;
}

function newestSource(): number {
  const files = [...new Bun.Glob(SOURCES).scanSync({ cwd: root, dot: true })];
  return Math.max(...files.map((file) => statSync(join(root, file)).mtimeMs));
}
