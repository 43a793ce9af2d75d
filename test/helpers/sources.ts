import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..", "..");
const FILES = ["cli.ts", "package.json", "bun.lock", ".ci/build.ts"];
const FOLDERS = ["server", "store", "viewer", "fixtures"];

/** When the last of the program's sources was changed, epoch ms; with `more`, of what lies in these folders too. */
export function newestSource(...more: string[]): number {
  const files = [...FOLDERS, ...more].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  return Math.max(...[...FILES, ...files].map((file) => statSync(join(root, file)).mtimeMs));
}
