import { cpSync, mkdirSync, readdirSync } from "node:fs";
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

/** Width and height of each picture by its name, as its first bytes say (PNG, section 11.2.2), so that text does not jump. */
export async function pictureSizes(): Promise<Map<string, { width: number; height: number }>> {
  const folder = join(root(), PICTURES);
  const names = readdirSync(folder).filter((name) => name.endsWith(".png"));
  const sizes = names.map(async (name) => {
    const head = new DataView(await Bun.file(join(folder, name)).slice(0, 24).arrayBuffer());
    return [name, { width: head.getUint32(16), height: head.getUint32(20) }] as const;
  });
  return new Map(await Promise.all(sizes));
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
