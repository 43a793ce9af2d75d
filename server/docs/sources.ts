import { cpSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { packagedFolder } from "../platform/packaged.ts";
import { PICTURES, WRITTEN } from "./topics.ts";

/** The folder that the executable carries topics and pictures in, each at its path in the source. */
export const PACKAGED_DOCS = "docs-sources";

const root = (): string =>
  Bun.isStandaloneExecutable ? packagedFolder(PACKAGED_DOCS) : join(import.meta.dir, "..", "..");

/** The text of a topic. */
export const readTopic = (file: string): Promise<string> => Bun.file(join(root(), file)).text();

/** A picture of the topics; null when there is none of that name. */
export async function readPicture(name: string): Promise<Blob | null> {
  if (name !== basename(name) || !/^[\w-]+\.png$/.test(name)) return null;
  const file = Bun.file(join(root(), PICTURES, name));
  return (await file.exists()) ? file : null;
}

/** Copies what topics need into a folder, to travel in the executable. */
export function writeDocs(folder: string): void {
  const source = join(import.meta.dir, "..", "..");
  for (const path of [...WRITTEN.map(({ file }) => file), PICTURES]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(source, path), join(folder, path), {
      recursive: true,
      filter: (from) => !from.endsWith(".ts"),
    });
  }
}
