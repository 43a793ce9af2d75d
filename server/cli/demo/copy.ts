import { copyFile, link, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createEventFiles } from "../../../store/events/files.ts";
import { compressFrame, contentChecksum } from "../../../store/events/frames.ts";
import { encodeSeekTable } from "../../../store/events/seek-table.ts";
import { nameOfKey, traceKey } from "../../../store/files/keys.ts";
import { artifactLocation } from "../../../store/files/locations.ts";
import { plainName, TRACE_FILES } from "../../../store/files/names.ts";
import { type ArtifactRow, artifactsOf, putArtifact } from "../../../store/records/artifacts.ts";
import { referenceBlobs } from "../../../store/records/blobs.ts";
import type { Trx } from "../../../store/records/db.ts";
import { copySearchText } from "../../../store/records/search.ts";
import { blobsOf, type NamedBlob } from "../../../store/records/trace-blobs.ts";
import { insertTrace, type TraceRow, traceOrd } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { leaseEvents } from "../../trace/events/source.ts";
import { type Shift, shiftText } from "./retime.ts";

/** A trace that was recorded once and is to have happened more often. */
export interface Master {
  trace: TraceRow;
  /** Its events, NDJSON. */
  lines: string;
  /** Files whose moments are shifted, by kind. */
  texts: { kind: string; text: string; isPacked: boolean; row: ArtifactRow }[];
  /** Files that copies share. */
  shared: ArtifactRow[];
  blobs: NamedBlob[];
}

/** The archive is the master's own: what copies show of it are blobs, which know it as their place. */
const LEFT_OUT = new Set(["playwright", "ndjson", "event_index", "pack"]);
const TEXTS = new Set(["summary", "manifest", "rrweb"]);

/** Reads a finished trace whole. */
export async function openMaster(deps: Deps, trace: TraceRow): Promise<Master> {
  const { records, files } = deps.store;
  const artifacts = await artifactsOf(records, trace.id);
  const texts: Master["texts"] = [];
  for (const row of artifacts) {
    if (!TEXTS.has(row.kind)) continue;
    const bytes = await files.read(artifactLocation(row));
    const isPacked = row.path.endsWith(".zst");
    const plain = isPacked ? await Bun.zstdDecompress(bytes) : bytes;
    texts.push({ kind: row.kind, text: Buffer.from(plain).toString(), isPacked, row });
  }
  return {
    trace,
    lines: await linesOf(deps, trace),
    texts,
    shared: artifacts.filter(
      ({ kind, pack_offset }) => !LEFT_OUT.has(kind) && !TEXTS.has(kind) && pack_offset === null,
    ),
    blobs: await blobsOf(records, trace.id),
  };
}

async function linesOf(deps: Deps, trace: TraceRow): Promise<string> {
  const lease = await leaseEvents(deps, trace);
  if (!lease) return "";
  const opened = createEventFiles();
  try {
    const lines: string[] = [];
    for await (const batch of (await opened.open(lease.path, lease.indexPath)).lineBatches())
      lines.push(...batch);
    return lines.map((line) => `${line}\n`).join("");
  } finally {
    opened.close();
    lease.release();
  }
}

/** What is other than in the master. */
export interface Difference {
  id: string;
  shortId: string;
  /** When it began, epoch ms. */
  at: number;
  stretch: number;
  row: Partial<TraceRow>;
}

/** A copy whose files are in place, and that the records do not know yet. */
export interface Copy {
  master: Master;
  difference: Difference;
  artifacts: ArtifactRow[];
}

/** Writes the files of a copy. Nothing is fsynced but the folder: what a power cut takes is made of recordings again. */
export async function writeCopy(deps: Deps, master: Master, difference: Difference): Promise<Copy> {
  const { store } = deps;
  const { id, at, stretch } = difference;
  const folder = store.work.path(`${COPIES}${id}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const shift: Shift = { from: master.trace.started_at ?? master.trace.created_at, to: at, stretch };
  const artifacts: ArtifactRow[] = [];
  const keep = (kind: string, name: string, media_type: string, size: number, sha256: string) =>
    artifacts.push({
      ...{ trace_id: id, kind, path: traceKey(id, name), size, media_type, sha256 },
      ...{ pack_offset: null, pack_stored_size: null, pack_method: null },
    });

  const events = await packEvents(shiftText(master.lines, shift));
  await Bun.write(join(folder, TRACE_FILES.events), events);
  keep("ndjson", TRACE_FILES.events, "application/zstd", events.length, hashOf(events));
  for (const { kind, text, isPacked, row } of master.texts) {
    const moved = Buffer.from(shiftText(text.replaceAll(master.trace.id, id), shift));
    const bytes = isPacked ? await Bun.zstdCompress(moved) : moved;
    const name = plainName(nameOfKey(row.path));
    await Bun.write(join(folder, name), bytes);
    keep(kind, name, row.media_type, bytes.length, hashOf(bytes));
  }
  for (const row of master.shared) {
    const name = plainName(nameOfKey(row.path));
    const lease = await store.files.local(row.path);
    try {
      await link(lease.path, join(folder, name)).catch(() => copyFile(lease.path, join(folder, name)));
    } finally {
      lease.release();
    }
    keep(row.kind, name, row.media_type, row.size, row.sha256);
  }
  // Of a start that was killed before the records knew of it.
  await store.files.removeTrace(id);
  await store.files.putTrace(folder, id);
  return { master, difference, artifacts };
}

/** An event file of one frame. Its index is made by whoever opens it first. */
async function packEvents(lines: string): Promise<Uint8Array> {
  const text = Buffer.from(lines);
  const frame = await compressFrame(text, 3);
  const seekTable = encodeSeekTable([
    { compressedSize: frame.length, size: text.length, checksum: contentChecksum(text) },
  ]);
  return Buffer.concat([frame, seekTable]);
}

/** Folders of copies on their way. */
export const COPIES = "demo-";

/** Makes a copy known. */
export async function insertCopy(trx: Trx, { master, difference, artifacts }: Copy): Promise<void> {
  const { ord, created_at: _created, aged_from: _aged, ...row } = master.trace;
  const { id, shortId, at, stretch } = difference;
  const began = row.started_at ?? at;
  await insertTrace(trx, {
    ...withoutComputed(row),
    ...difference.row,
    id,
    short_id: shortId,
    started_at: at,
    ended_at: row.ended_at === null ? null : at + Math.round((row.ended_at - began) * stretch),
    duration_ms: Math.round((row.duration_ms ?? 0) * stretch),
    total_size_bytes: artifacts.reduce((sum, { size }) => sum + size, 0),
    share_visibility: null,
    share_expires_at: null,
  });
  for (const artifact of artifacts) await putArtifact(trx, artifact);
  await referenceBlobs(trx, id, master.blobs);
  await copySearchText(trx, ord, traceOrd(id));
}

/** A row as it may be inserted: what the database computes is left to it. */
function withoutComputed<Row extends object>(row: Row): Row {
  const { facet: _f, tags: _t, more_tags: _m, ...rest } = row as Row & Record<string, unknown>;
  return rest as unknown as Row;
}

const hashOf = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
