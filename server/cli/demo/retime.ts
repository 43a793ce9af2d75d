import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from "fflate";
import { extract, pack } from "tar-stream";
import { toIso } from "../../platform/clock.ts";

/** Puts what was recorded at one moment (epoch ms) to another, its parts `stretch` times as far apart. */
export interface Shift {
  from: number;
  to: number;
  stretch: number;
}

const SECOND = 1000;
/** A recording is shorter than this, and what it tells of other days is no time of its own. */
const NEAR_MS = 6 * 60 * 60_000;
/** Milliseconds, seconds with a fraction (messages of sockets in a HAR), ISO 8601; not the names of pictures. */
const MOMENT =
  /(?<![\w@-])(?:1\d{12}(?:\.\d+)?|1\d{9}\.\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)(?![\w.])/g;
/** When members of archives are said to have changed: the same recording at the same moment is the same bytes. */
const PACKED = new Date(Date.UTC(2026, 0, 1));
const DURATION = /("duration_ms":)(\d+(?:\.\d+)?)/g;

/** Text of a recording (NDJSON, JSON) with its moments shifted, and its durations where they are stretched. */
export function shiftText(text: string, { from, to, stretch }: Shift): string {
  const shifted = text.replace(MOMENT, (found) => {
    const isIso = found.includes("T");
    const unit = /^\d{10}\./.test(found) ? SECOND : 1;
    const at = isIso ? Date.parse(found) : Number(found) * unit;
    if (!(Math.abs(at - from) < NEAR_MS)) return found;
    const moved = Math.round(to + (at - from) * stretch);
    return isIso ? toIso(moved) : String(moved / unit);
  });
  if (stretch === 1) return shifted;
  return shifted.replace(
    DURATION,
    (_, name: string, ms: string) => `${name}${Math.round(Number(ms) * stretch)}`,
  );
}

/** A Playwright archive or a bundle as if it had been recorded at `to`; `region` is where a bundle's run was made. */
export async function retime(path: string, to: number, region: string | null): Promise<Uint8Array> {
  const bytes = await Bun.file(path).bytes();
  return path.endsWith(".zip")
    ? retimeArchive(bytes, { from: null, to })
    : retimeBundle(bytes, { to, region });
}

/** Members that tell moments: what was done, the network, the messages of sockets. */
const isTold = (name: string) => /\.(trace|network|jsonl)$/.test(name);

/** @param shift.from null for the archive's own beginning */
function retimeArchive(bytes: Uint8Array, shift: { from: number | null; to: number }): Uint8Array {
  const members = unzipSync(bytes);
  const from = shift.from ?? beginningOf(members);
  const { to } = shift;
  const packed: Zippable = {};
  for (const [name, content] of Object.entries(members))
    packed[name] = isTold(name)
      ? [strToU8(shiftText(strFromU8(content), { from, to, stretch: 1 })), { level: 1 }]
      : [content, { level: /\.(jpe?g|png|webp)$/.test(name) ? 0 : 1 }];
  return zipSync(packed, { mtime: PACKED });
}

function beginningOf(members: Record<string, Uint8Array>): number {
  const told = Object.keys(members).filter(isTold);
  const heads = told.map((name) => strFromU8(members[name]!.subarray(0, 4096)));
  return Math.min(...heads.flatMap((head) => head.match(/(?<="wallTime":)\d{13}/)?.[0] ?? []).map(Number));
}

interface Manifest {
  started_at: string;
  region?: string;
}

async function retimeBundle(
  bytes: Uint8Array,
  { to, region }: { to: number; region: string | null },
): Promise<Uint8Array> {
  const members = await unpack(await Bun.zstdDecompress(bytes));
  const manifest = JSON.parse(members.get("manifest.json")!.toString()) as Manifest;
  const shift: Shift = { from: Date.parse(manifest.started_at), to, stretch: 1 };
  const tar = pack();
  for (const [name, content] of members) tar.entry({ name, mtime: PACKED }, await shifted(name, content));
  tar.finalize();
  return Bun.zstdCompress(await whole(tar), { level: 1 });

  async function shifted(name: string, content: Buffer): Promise<Buffer> {
    if (name === "manifest.json") {
      const moved = JSON.parse(shiftText(content.toString(), shift)) as Manifest;
      return Buffer.from(JSON.stringify({ ...moved, ...(region !== null && { region }) }));
    }
    if (name.endsWith(".zip")) return Buffer.from(retimeArchive(content, shift));
    if (/\.(json|ndjson)$/.test(name)) return Buffer.from(shiftText(content.toString(), shift));
    if (!name.endsWith(".ndjson.zst")) return content;
    const text = (await Bun.zstdDecompress(content)).toString();
    return Bun.zstdCompress(shiftText(text, shift), { level: 1 });
  }
}

async function unpack(archive: Uint8Array): Promise<Map<string, Buffer>> {
  const members = new Map<string, Buffer>();
  const reader = extract();
  reader.end(archive);
  for await (const entry of reader) members.set(entry.header.name, await whole(entry));
  return members;
}

async function whole(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part as Uint8Array);
  return Buffer.concat(parts);
}
