import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { layout } from "../layout.ts";
import type { FilesAddress } from "./files.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HASH = /^[0-9a-f]{64}$/;

/** The ids of the traces that have any file, or a cold pack, whatever records say; sorted. */
export function tracesWithFiles({ root, coldDir }: FilesAddress): string[] {
  const found = [
    ...namesIn(layout(root).traces),
    ...namesIn(coldDir).map((name) => basename(name, ".zip")),
  ].filter((name) => UUID.test(name));
  return [...new Set(found)].sort();
}

/** Every loose blob that lies where its hash says. */
export function looseBlobs({ root }: FilesAddress): { hash: string; size: number }[] {
  const paths = layout(root);
  if (!existsSync(paths.blobs)) return [];
  return readdirSync(paths.blobs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && HASH.test(entry.name))
    .filter((entry) => join(entry.parentPath, entry.name) === paths.blob(entry.name))
    .map(({ name }) => ({ hash: name, size: statSync(paths.blob(name)).size }));
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
