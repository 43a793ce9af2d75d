import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { layout } from "../layout.ts";
import type { FilesAddress } from "./files.ts";
import { blobOfKey, traceOfColdKey } from "./keys.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The ids of the traces that have any file, or a cold pack, whatever records say; sorted. */
export function tracesWithFiles({ root, coldDir }: FilesAddress): string[] {
  const found = [
    ...namesIn(layout(root).traces),
    ...namesIn(coldDir).flatMap((name) => traceOfColdKey(name) ?? []),
  ].filter((name) => UUID.test(name));
  return [...new Set(found)].sort();
}

/** The ids of the test runs that have a record; sorted. */
export function testRunsWithRecords({ root }: FilesAddress): string[] {
  return namesIn(layout(root).testRuns)
    .flatMap((name) => /^(.+)\.json\.zst$/.exec(name)?.[1] ?? [])
    .filter((id) => UUID.test(id))
    .sort();
}

/** Every file of a loose blob that lies where its hash says. */
export function looseBlobs({ root }: FilesAddress): { hash: string; suffix: string; size: number }[] {
  const { blobs } = layout(root);
  if (!existsSync(blobs)) return [];
  return readdirSync(blobs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const blob = blobOfKey(keyAt(root, path));
      return blob ? [{ ...blob, size: statSync(path).size }] : [];
    });
}

/** The key of a file below the data folder. */
export const keyAt = (root: string, path: string): string => relative(root, path).split(sep).join("/");

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
