import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openZip, type ZipArchive } from "../../../store/archives/zip.ts";
import type { NewFile } from "../../../store/files/files.ts";
import { coldKey } from "../../../store/files/keys.ts";
import { writeDurably } from "../../../store/files/write.ts";
import { withBlobs } from "../../../store/loose-blobs.ts";
import { findArtifact, putArtifact, removeArtifacts } from "../../../store/records/artifacts.ts";
import {
  type LooseBlob,
  referenceBlobs,
  registerLocations,
  registerLooseBlobs,
} from "../../../store/records/blobs.ts";
import { forgetContainers } from "../../../store/records/trace-blobs.ts";
import { findTrace, type TraceRow, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { conflict } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { requireTrace } from "../access.ts";
import { publishTraceChange } from "../publish.ts";
import { RESTORE, TIDY } from "./kinds.ts";
import { blobMember, DIRECTORY_MEMBER, type PackDirectory, parsePackDirectory } from "./pack.ts";

/** What unpacking reaches on a slow disk, for the estimate. */
const BYTES_PER_SECOND = 20_000_000;
const LONGEST_SECONDS = 90;
/** Our own packs are as large as the traces they hold. */
const NO_CAPS = { maxMembers: 10_000_000, maxUnpackedBytes: Number.MAX_SAFE_INTEGER };

/**
 * Begins to bring a warm or cold trace back to hot; to ask twice is fine.
 * @throws AppError `conflict` for a hot trace
 */
export async function requestRestore(
  deps: Deps,
  actor: Actor,
  id: string,
): Promise<{ status: "restoring"; eta_seconds: number }> {
  const trace = await requireTrace(deps, actor, id);
  if (trace.tier === "hot") throw conflict("This trace is hot already: there is nothing to restore.");
  await commit(deps, async (trx, after) => {
    await updateTrace(trx, trace.id, { restoring: 1, restore_error: null });
    // A job for each request: one that runs already may have given its verdict. A job too many finds the trace hot.
    await after.add({ kind: RESTORE, payload: { trace_id: trace.id } });
    const detail = { from: trace.tier };
    await auditAct(trx, actor, { at: deps.clock.now(), action: "trace.restore", target: trace.id, detail });
    publishTraceChange(after, trace);
  });
  const seconds = 1 + Math.ceil(trace.total_size_bytes / BYTES_PER_SECOND);
  return { status: "restoring", eta_seconds: Math.min(LONGEST_SECONDS, seconds) };
}

/** Points at which a crash is survived; tests crash there. */
export type RestoreStep = "unpacked" | "moved" | "committed";

export interface RestoreHooks {
  onStep?(step: RestoreStep): void | Promise<void>;
}

/**
 * The job `trace.restore`. Everything in the pack is checked against its hash before any of it takes its place; a pack
 * that is missing or damaged leaves the trace where it is, with `restore_error` saying which file and why.
 * @param signal ends it before anything of the trace has changed; what it was stopped by is no fault of the pack
 * @throws the signal's reason, or what this machine lacks: room, open files
 */
export async function restoreTrace(
  deps: Deps,
  traceId: string,
  signal: AbortSignal,
  hooks: RestoreHooks = {},
): Promise<void> {
  const trace = await findTrace(deps.store.records, traceId);
  if (!trace || trace.tier === "hot") return;
  const pack = await findArtifact(deps.store.records, traceId, "pack");
  const key = pack?.path ?? coldKey(traceId, null);
  await deps.traceState.workFolder.within(async (folder) => {
    let unpacked: Unpacked;
    try {
      unpacked = await unpack(deps, key, folder, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isLocal(error)) throw error;
      await giveUp(deps, trace, deps.store.files.whereabouts(key), error);
      return;
    }
    await hooks.onStep?.("unpacked");
    await moveIn(deps, trace, unpacked, trace.tier === "cold" ? (pack?.path ?? null) : null, hooks);
  });
}

interface Unpacked {
  directory: PackDirectory;
  folder: string;
  blobs: { hash: string; path: string; size: number }[];
}

/** A full disk or the like is no fault of the pack: the job tries again. */
const isLocal = (error: unknown) =>
  error instanceof Error && "code" in error && ["ENOSPC", "EMFILE", "EDQUOT"].includes(String(error.code));

async function unpack({ store }: Deps, key: string, folder: string, signal: AbortSignal): Promise<Unpacked> {
  const { path, release } = await store.files.local(key);
  try {
    return await unpackZip(path, folder, signal);
  } finally {
    release();
  }
}

async function unpackZip(path: string, folder: string, signal: AbortSignal): Promise<Unpacked> {
  const zip = await openZip(path, NO_CAPS);
  try {
    const member = zip.get(DIRECTORY_MEMBER);
    if (!member) throw new Error(`it has no ${DIRECTORY_MEMBER}`);
    const directory = parsePackDirectory(Buffer.from(await zip.read(member)).toString());
    await mkdir(join(folder, "files"));
    await mkdir(join(folder, "blobs"));
    for (const { name, sha256 } of directory.artifacts)
      await extract(zip, { name, path: join(folder, "files", name), sha256 }, signal);
    const blobs: Unpacked["blobs"] = [];
    for (const { hash, size } of directory.blobs) {
      const target = join(folder, "blobs", hash);
      await extract(zip, { name: blobMember(hash), path: target, sha256: hash }, signal);
      blobs.push({ hash, path: target, size });
    }
    return { directory, folder, blobs };
  } finally {
    await zip.close();
  }
}

async function extract(
  zip: ZipArchive,
  { name, path, sha256 }: { name: string; path: string; sha256: string },
  signal: AbortSignal,
): Promise<void> {
  const member = zip.get(name);
  if (!member || name.includes("..")) throw new Error(`it lacks "${name}"`);
  if ((await writeDurably(path, until(signal, zip.stream(member)))).sha256 !== sha256)
    throw new Error(`"${name}" in it is damaged`);
}

/** @throws the signal's reason once it has aborted: one large file is minutes of work */
async function* until(signal: AbortSignal, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

async function moveIn(
  deps: Deps,
  trace: TraceRow,
  unpacked: Unpacked,
  coldPack: string | null,
  hooks: RestoreHooks,
): Promise<void> {
  const { store } = deps;
  await withBlobs(store, unpacked.blobs, deps.ids.secret(8), async (blobs) => {
    const keys = await store.files.putAll(newFiles(trace.id, unpacked));
    await hooks.onStep?.("moved");
    await record(deps, trace, { directory: unpacked.directory, blobs }, keys, coldPack);
    await hooks.onStep?.("committed");
  });
}

/** An index goes by the name of its events. */
function newFiles(traceId: string, { directory: { artifacts }, folder }: Unpacked): NewFile[] {
  const events = artifacts.find(({ kind }) => kind === "ndjson");
  return artifacts.map(({ kind, name, sha256 }) => ({
    path: join(folder, "files", name),
    traceId,
    name,
    sha256: kind === "event_index" && events ? events.sha256 : sha256,
  }));
}

async function record(
  deps: Deps,
  trace: TraceRow,
  { directory, blobs }: { directory: Unpacked["directory"]; blobs: LooseBlob[] },
  keys: readonly string[],
  coldPack: string | null,
): Promise<void> {
  const keyOf = new Map(directory.artifacts.map(({ kind }, at) => [kind, keys[at]!]));
  const now = deps.clock.now();
  await commit(deps, async (trx, after) => {
    const current = await findTrace(trx, trace.id);
    if (current?.tier !== trace.tier) return;
    await removeArtifacts(trx, trace.id, []);
    for (const { name: _, ...artifact } of directory.artifacts)
      await putArtifact(trx, { ...artifact, trace_id: trace.id, path: keyOf.get(artifact.kind)! });
    await forgetContainers(trx, trace.id);
    await registerLooseBlobs(trx, blobs, now);
    const inside = directory.inside.map(({ kind, stored_size, ...blob }) => ({
      ...blob,
      storedSize: stored_size,
      container: keyOf.get(kind)!,
    }));
    await registerLocations(trx, inside, now);
    const references = directory.references.map(({ hash, media_type }) => ({ hash, mediaType: media_type }));
    await referenceBlobs(trx, trace.id, references);
    await updateTrace(trx, trace.id, { tier: "hot", aged_from: now, restoring: 0, restore_error: null });
    const payload = { trace_id: trace.id, ...(coldPack ? { cold_pack: coldPack } : {}) };
    await after.add({ kind: TIDY, payload });
    publishTraceChange(after, trace);
  });
}

async function giveUp(deps: Deps, trace: TraceRow, path: string, error: unknown): Promise<void> {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  const why = isMissing ? "it is missing" : error instanceof Error ? error.message : String(error);
  const sentence = `The pack ${path} cannot be unpacked: ${why}`;
  deps.log.error("a trace cannot be restored", { trace: trace.id, error });
  await commit(deps, async (trx, after) => {
    await updateTrace(trx, trace.id, {
      restoring: 0,
      restore_error: sentence.endsWith(".") ? sentence : `${sentence}.`,
    });
    publishTraceChange(after, trace);
  });
}

/** After three failures that are not the pack's fault: says so, and lets the trace be asked for again. */
export async function restoreFailed(deps: Deps, traceId: string, error: string): Promise<void> {
  await updateTrace(deps.store.records, traceId, {
    restoring: 0,
    restore_error: `The trace could not be restored: ${error}`,
  });
}
