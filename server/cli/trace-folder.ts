import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NewMember, writeZip } from "../../store/archives/zip-writer.ts";
import { RESOURCE_FOLDERS, resourcesNamed, unpackedTraces } from "../trace/format/trace-folder.ts";

/** A trace of a folder, packed as Playwright would have. */
export interface PackedTrace {
  path: string;
  /** Of the file that it was made from. */
  name: string;
}

/** A folder with traces, and the one that is meant where it is not all of them. */
export interface TraceFolder {
  path: string;
  /** Name of a file of that trace. */
  file?: string;
}

/** Packs the traces of a folder for as long as the work goes on. Each that stands by itself is a trace of its own. */
export async function withTraceFolder<T>(
  { path: folder, file }: TraceFolder,
  work: (traces: PackedTrace[]) => Promise<T>,
): Promise<T> {
  const temporary = await mkdtemp(join(tmpdir(), "tracedeck-folder-"));
  try {
    const packed: PackedTrace[] = [];
    for (const [at, { name, files }] of unpackedTraces(await readdir(folder)).entries()) {
      if (file !== undefined && ![...files.values()].includes(file)) continue;
      const path = join(temporary, `${at}.zip`);
      await writeZip(path, await membersOf(folder, files));
      packed.push({ path, name: join(folder, name) });
    }
    return await work(packed);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The files with the resources that they name: several traces of a folder share one folder of them. */
async function membersOf(folder: string, files: ReadonlyMap<string, string>): Promise<NewMember[]> {
  const known = new Set<string>();
  for (const name of RESOURCE_FOLDERS)
    for (const resource of await readdir(join(folder, name)).catch(() => []))
      known.add(`${name}/${resource}`);
  const wanted = new Set<string>();
  const members: NewMember[] = [];
  for (const [member, name] of files) {
    const bytes = await readFile(join(folder, name));
    for (const path of resourcesNamed(bytes.toString("utf8"), known)) wanted.add(path);
    members.push(memberOf(member, bytes));
  }
  for (const name of [...wanted].sort()) {
    const path = join(folder, name);
    if ((await stat(path)).isFile()) members.push(memberOf(name, await readFile(path)));
  }
  return members;
}

const memberOf = (name: string, bytes: Uint8Array): NewMember => ({
  name,
  size: bytes.byteLength,
  sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
  bytes: () => bytes,
});
