import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NewMember, writeZip } from "../../store/archives/zip-writer.ts";
import { RESOURCES, resourcesNamed, unpackedTraces } from "../trace/format/trace-folder.ts";

/** A trace of a folder, packed as Playwright would have. */
export interface PackedTrace {
  path: string;
  /** Of the file that it was made from. */
  name: string;
}

/** Packs the traces of a folder for as long as the work goes on. Each that stands by itself is a trace of its own. */
export async function withTraceFolder<T>(
  folder: string,
  work: (traces: PackedTrace[]) => Promise<T>,
): Promise<T> {
  const temporary = await mkdtemp(join(tmpdir(), "tracedeck-folder-"));
  try {
    const packed: PackedTrace[] = [];
    for (const [at, { name, files }] of unpackedTraces(await readdir(folder)).entries()) {
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
  const known = new Set(await readdir(join(folder, RESOURCES)).catch(() => []));
  const wanted = new Set<string>();
  const members: NewMember[] = [];
  for (const [member, name] of files) {
    const bytes = await readFile(join(folder, name));
    for (const word of resourcesNamed(bytes.toString("utf8"), known)) wanted.add(word);
    members.push(memberOf(member, bytes));
  }
  for (const name of [...wanted].sort()) {
    const path = join(folder, RESOURCES, name);
    if ((await stat(path)).isFile()) members.push(memberOf(`${RESOURCES}/${name}`, await readFile(path)));
  }
  return members;
}

const memberOf = (name: string, bytes: Uint8Array): NewMember => ({
  name,
  size: bytes.byteLength,
  sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
  bytes: () => bytes,
});
