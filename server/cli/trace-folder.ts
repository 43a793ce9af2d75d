import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NewMember, writeZip } from "../../store/archives/zip-writer.ts";

/** A trace of a folder, packed as Playwright would have. */
export interface PackedTrace {
  path: string;
  /** Of the file that it was made from. */
  name: string;
}

/** Contexts of one trace, and the events of its test: `0-trace.trace`, `1-trace.trace`, `test.trace`. */
const OF_ONE = /^(?:(?:\d+-)?trace|test)\.(?:trace|network|stacks)$/;
const PARTS = /^(.+)\.(trace|network|stacks)$/;
const RESOURCES = "resources";

/** Packs the traces of a folder for as long as the work goes on. Each that stands by itself is a trace of its own. */
export async function withTraceFolder<T>(
  folder: string,
  work: (traces: PackedTrace[]) => Promise<T>,
): Promise<T> {
  const temporary = await mkdtemp(join(tmpdir(), "tracedeck-folder-"));
  try {
    const packed: PackedTrace[] = [];
    for (const [at, { name, files }] of (await tracesIn(folder)).entries()) {
      const path = join(temporary, `${at}.zip`);
      await writeZip(path, await membersOf(folder, files));
      packed.push({ path, name: join(folder, name) });
    }
    return await work(packed);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

interface TraceFiles {
  name: string;
  /** Names within the archive, and in the folder. */
  files: Map<string, string>;
}

async function tracesIn(folder: string): Promise<TraceFiles[]> {
  const names = (await readdir(folder)).filter((name) => PARTS.test(name)).sort();
  const traces = new Map<string, Map<string, string>>();
  for (const name of names) {
    const [, stem = "", kind] = PARTS.exec(name)!;
    const isPart = OF_ONE.test(name);
    const key = isPart ? "trace" : stem;
    const files = traces.get(key) ?? new Map();
    traces.set(key, files.set(isPart ? name : `trace.${kind}`, name));
  }
  return [...traces]
    .filter(([, files]) => [...files.keys()].some((name) => name.endsWith(".trace")))
    .map(([stem, files]) => ({ name: `${stem}.trace`, files }));
}

/** The files with the resources that they name: several traces of a folder share one folder of them. */
async function membersOf(folder: string, files: ReadonlyMap<string, string>): Promise<NewMember[]> {
  const known = new Set(await readdir(join(folder, RESOURCES)).catch(() => []));
  const wanted = new Set<string>();
  const members: NewMember[] = [];
  for (const [member, name] of files) {
    const bytes = await readFile(join(folder, name));
    for (const [, word] of bytes.toString("utf8").matchAll(/"(?:resources\/)?([\w@.-]{8,200})"/g))
      if (known.has(word!)) wanted.add(word!);
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
