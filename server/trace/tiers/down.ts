import { join } from "node:path";
import { MemberMismatchError, type WrittenZip } from "../../../store/archives/zip-writer.ts";
import { BlobDamagedError } from "../../../store/files/files.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { artifactsOf, findArtifact, putArtifact, removeArtifacts } from "../../../store/records/artifacts.ts";
import { type BlobLocation, LOOSE, registerLocations } from "../../../store/records/blobs.ts";
import {
  forgetContainers,
  forgetReferences,
  neededByHot,
  orphanBlobsOf,
} from "../../../store/records/trace-blobs.ts";
import { findTrace, type TraceRow, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { commit } from "../../jobs/commit.ts";
import { artifactFileName } from "../files/links.ts";
import { isFinal } from "../model.ts";
import { publishTraceChange } from "../publish.ts";
import { areSame, type Contents, contentsOf } from "./contents.ts";
import { TIDY } from "./kinds.ts";
import { blobMember, writePack } from "./pack.ts";
import { whileOthersKeepTheirs } from "./rescue.ts";

/** Points at which a crash is survived; tests crash there. */
export type DownStep = "packed" | "moved" | "committed";

export interface DownHooks {
  onStep?(step: DownStep): void | Promise<void>;
}

/** A repair needs a stopped server, which then knows of no failure. */
const TRY_AGAIN_MS = 24 * 60 * 60_000;
const PACK_TYPE = "application/zip";

/**
 * Moves a trace to the next tier, if it is still where it was thought to be and may move. Each step leaves a whole
 * trace: the pack is written and fsynced, then one transaction makes it the trace's home, then a job clears away what
 * the pack replaces. A trace with a damaged file stays where it is, and is
 * tried again after a day or after a new start.
 */
export async function moveDown(
  deps: Deps,
  traceId: string,
  to: "warm" | "cold",
  hooks: DownHooks = {},
): Promise<void> {
  const trace = await findTrace(deps.store.records, traceId);
  if (!trace || !mayMove(trace, to)) return;
  try {
    const contents = await contentsOf(deps, trace);
    const hasMoved =
      to === "warm" ? await toWarm(deps, contents, hooks) : await toCold(deps, contents, hooks);
    if (!hasMoved) return;
  } catch (error) {
    if (!(error instanceof MemberMismatchError || error instanceof BlobDamagedError)) throw error;
    leaveInTier(deps, traceId);
    deps.log.error("a trace with a damaged file stays in its tier", { trace: traceId, to, error });
    return;
  }
  await hooks.onStep?.("committed");
}

/** A trace that cannot be moved is left for a day: the looks in between are for others. */
export function leaveInTier(
  { traceState, clock }: Pick<Deps, "traceState" | "clock">,
  traceId: string,
): void {
  traceState.unmovable.set(traceId, clock.now() + TRY_AGAIN_MS);
}

function mayMove(trace: TraceRow, to: "warm" | "cold"): boolean {
  const isNext = trace.tier === (to === "warm" ? "hot" : "warm");
  return isNext && trace.pinned === 0 && trace.restoring === 0 && isFinal(trace.status);
}

async function toWarm(deps: Deps, contents: Contents, hooks: DownHooks): Promise<boolean> {
  const { store } = deps;
  const { id } = contents.trace;
  const own = new Set(contents.inside.map(({ hash }) => hash));
  const loose = contents.blobs.filter(
    ({ hash, places }) => !own.has(hash) && places.some(({ container }) => container === LOOSE),
  );
  const needed = await neededByHot(
    store.records,
    loose.map(({ hash }) => hash),
    id,
  );
  const packed = loose.filter(({ hash }) => !needed.has(hash));
  const { zip, key } = await deps.traceState.workFolder.within(async (folder) => {
    const path = join(folder, TRACE_FILES.pack);
    const zip = await writePack(deps, path, contents, packed);
    await hooks.onStep?.("packed");
    const { sha256 } = zip;
    return { zip, key: await store.files.put({ path, traceId: id, name: TRACE_FILES.pack, sha256 }) };
  });
  try {
    await hooks.onStep?.("moved");
    return await liveInPack(deps, contents, zip, key);
  } finally {
    // A pack that did not become the trace's home.
    if ((await findTrace(store.records, id))?.tier === "hot") await store.files.remove(key);
  }
}

/** @param container the key of the pack */
async function liveInPack(
  deps: Deps,
  contents: Contents,
  zip: WrittenZip,
  container: string,
): Promise<boolean> {
  const { id } = contents.trace;
  const at = new Map(zip.members.map((member) => [member.name, member.offset]));
  return commit(deps, async (trx, after) => {
    const now = await findTrace(trx, id);
    if (!now || !mayMove(now, "warm")) return false;
    if (!areSame(contents.artifacts, await artifactsOf(trx, id))) return false;
    for (const artifact of contents.artifacts) {
      // The summary stays a file of its own: it outlives the pack's move to the cold folder.
      if (artifact.kind === "summary") continue;
      const packOffset = at.get(artifactFileName(artifact))!;
      await putArtifact(trx, {
        ...artifact,
        path: container,
        pack_offset: packOffset,
        pack_stored_size: artifact.size,
        pack_method: 0,
      });
    }
    await putPack(trx, id, container, zip);
    await forgetContainers(trx, id);
    await registerLocations(trx, packedLocations(contents, zip, container), deps.clock.now());
    await updateTrace(trx, id, { tier: "warm", restore_error: null });
    await after.add({ kind: TIDY, payload: { trace_id: id } });
    publishTraceChange(after, now);
    return true;
  });
}

/** Where a pack holds the blobs that it was given, and those inside its artifacts. */
function packedLocations(contents: Contents, zip: WrittenZip, container: string): BlobLocation[] {
  const at = new Map(zip.members.map((member) => [member.name, member]));
  const names = new Map(contents.artifacts.map((artifact) => [artifact.kind, artifactFileName(artifact)]));
  const inside = contents.inside.map(({ kind, ...blob }) => ({
    ...blob,
    container,
    offset: at.get(names.get(kind)!)!.offset + blob.offset,
  }));
  const members = contents.blobs.flatMap(({ hash }): BlobLocation[] => {
    const member = at.get(blobMember(hash));
    if (!member) return [];
    const { offset, size } = member;
    return [{ hash, container, offset, storedSize: size, size, method: 0 }];
  });
  return [...inside, ...members];
}

async function toCold(deps: Deps, contents: Contents, hooks: DownHooks): Promise<boolean> {
  const { trace } = contents;
  const { id } = trace;
  const draft = await deps.store.files.coldDraft(id);
  const own = new Set(contents.inside.map(({ hash }) => hash));
  // All of it: a cold pack must be able to come back when nothing else of the store is left.
  const blobs = contents.blobs.filter(({ hash }) => !own.has(hash));
  let hasMoved = false;
  let key = null as string | null;
  try {
    const zip = await writePack(deps, draft.path, contents, blobs);
    await hooks.onStep?.("packed");
    const finished = await draft.finish(zip.sha256);
    key = finished;
    await hooks.onStep?.("moved");
    const keep = trace.final_screenshot;
    hasMoved = await whileOthersKeepTheirs(deps, [id], keep ? [keep] : [], async (trx, after) => {
      const now = await findTrace(trx, id);
      if (!now || !mayMove(now, "cold")) return false;
      if (!areSame(contents.artifacts, await artifactsOf(trx, id))) return false;
      await removeArtifacts(trx, id, ["summary"]);
      await putPack(trx, id, finished, zip);
      await orphanBlobsOf(trx, id, { now: deps.clock.now(), keep });
      await forgetContainers(trx, id);
      await forgetReferences(trx, id, keep);
      await updateTrace(trx, id, { tier: "cold", restore_error: null });
      await after.add({ kind: TIDY, payload: { trace_id: id } });
      publishTraceChange(after, now);
      return true;
    });
    return hasMoved;
  } finally {
    await draft.discard();
    if (!hasMoved && key !== null) await discardColdPack(deps, id, key);
  }
}

/** A pack that did not become the trace's home goes, unless a row names it after all. */
async function discardColdPack({ store }: Deps, id: string, key: string): Promise<void> {
  if ((await findArtifact(store.records, id, "pack"))?.path !== key) await store.files.remove(key);
}

async function putPack(
  db: Parameters<typeof putArtifact>[0],
  traceId: string,
  path: string,
  zip: WrittenZip,
): Promise<void> {
  const { size, sha256 } = zip;
  await putArtifact(db, { trace_id: traceId, kind: "pack", path, size, media_type: PACK_TYPE, sha256 });
}
