import { ArchiveError } from "../../../store/archives/errors.ts";
import { growingKey } from "../../../store/files/keys.ts";
import { eventIndexPath } from "../../../store/files/names.ts";
import { describeFile } from "../../../store/files/write.ts";
import { putArtifact } from "../../../store/records/artifacts.ts";
import { upsertScenario } from "../../../store/records/scenarios.ts";
import type { TraceStatus } from "../../../store/records/schema.ts";
import { chunkHash, forgetChunks, noteChunk } from "../../../store/records/trace-chunks.ts";
import {
  findTrace,
  growTrace,
  insertTrace,
  runningTraces,
  type TraceRow,
  updateTrace,
} from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { collectLimited } from "../../http/body.ts";
import { AppError, conflict, invalid } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { auditAct } from "../../identity/audit.ts";
import { commit } from "../../jobs/commit.ts";
import { forEachApart } from "../../jobs/each-apart.ts";
import { fromIso } from "../../platform/clock.ts";
import { requireTrace } from "../access.ts";
import { type Manifest, parseManifest } from "../ingest/manifest.ts";
import { withKind } from "../ingest/unpack.ts";
import { PROCESS } from "../kinds.ts";
import { publishCompletion } from "../process/completion.ts";
import { keepTexts, takeArtifact, takeBlob, takeBlobs } from "./artifacts.ts";
import { type Chunk, MAX_CHUNK_BYTES, readChunk, refusalOf } from "./chunk.ts";
import type {
  ArtifactKind,
  ArtifactTaken,
  BlobsTaken,
  BlobTaken,
  CaptureEnd,
  CaptureEnded,
  CaptureStarted,
  ChunkTaken,
} from "./model.ts";
import { requireRoomForChunk } from "./room.ts";
import type { Content, Members } from "./staging.ts";

/** A running trace without a chunk for so long is aborted. */
export const SILENCE_MS = 120_000;

/** Traces that grow while their run goes on. What adds to one trace or ends it waits for whatever else does, in the whole process. */
export interface CaptureService {
  /**
   * @param made `isByClock` of what a check's run records: it goes with the run, and nobody asked for it, so that no entry of the audit
   * log tells of it; `isOfStrangers` of what code of a fork did
   * @throws AppError `invalid_request` naming the field
   */
  begin(
    actor: Actor,
    manifest: unknown,
    base: string,
    made?: { isByClock: boolean; isOfStrangers: boolean },
  ): Promise<CaptureStarted>;
  /**
   * Durable when it resolves. Nothing is read of what comes before it is known that the trace may be added to. A chunk that was taken before is answered as then.
   * @throws AppError `bundle_unreadable`; `conflict` for a gap, for other bytes under a number that was taken, and after the end;
   * `body_too_large`; `bundle_too_large` when the trace has no room for it
   */
  chunk(actor: Actor, id: string, n: number, content: Content): Promise<ChunkTaken>;
  /**
   * @param givenType what the sender calls the media type; the bytes' own word counts first
   * @throws AppError `blob_mismatch`, `bundle_too_large`
   */
  blob(
    actor: Actor,
    id: string,
    hash: string,
    content: Content,
    givenType: string | null,
  ): Promise<BlobTaken>;
  /** All are kept, or none. @throws AppError `blob_mismatch`, `bundle_too_large` */
  blobs(actor: Actor, id: string, members: Members): Promise<BlobsTaken>;
  /** @throws AppError `invalid_request` for bytes of another kind, `bundle_too_large` */
  artifact(
    actor: Actor,
    id: string,
    kind: ArtifactKind,
    content: Content,
    givenType: string | null,
  ): Promise<ArtifactTaken>;
  /** Ends the capture; repeating it is fine. @throws AppError `conflict` when it ended otherwise */
  end(actor: Actor, id: string, end: CaptureEnd): Promise<CaptureEnded>;
  /** Aborts the traces that nobody has added to for `SILENCE_MS`. @param since the server's start: time before it does not count. */
  sweep(since: number): Promise<number>;
  /** The traces that `sweep` would abort, and those that were last added to at a time that lies ahead. */
  stalled(since: number): Promise<{ id: string; seen: number }[]>;
  /** Ends a capture that nobody is going to add to, as aborted when nothing else is known; nothing happens when it has ended. */
  abort(id: string, reason: string, status?: "aborted" | "failed"): Promise<void>;
}

export function createCaptureService(deps: Deps): CaptureService {
  const { store } = deps;
  const lock = deps.traceState.captureLock;

  async function begin(
    actor: Actor,
    body: unknown,
    base: string,
    { isByClock, isOfStrangers } = { isByClock: false, isOfStrangers: false },
  ): Promise<CaptureStarted> {
    const manifest = readManifest(body);
    const now = deps.clock.now();
    const id = deps.ids.uuid();
    const short_id = deps.ids.shortId();
    const slug = manifest.scenarioSlug!;
    await commit(deps, async (within, after) => {
      const scenario = await upsertScenario(within, {
        id: deps.ids.uuid(),
        orgId: actor.orgId,
        slug,
        title: manifest.scenarioTitle,
        now,
      });
      await insertTrace(within, {
        id,
        org_id: actor.orgId,
        short_id,
        scenario_id: scenario.id,
        scenario_slug: slug,
        scenario_title: manifest.scenarioTitle ?? scenario.title,
        status: "running",
        tier: "hot",
        source: manifest.source,
        code_sha: manifest.codeSha,
        pr_number: manifest.prNumber,
        run_id: manifest.runId,
        attempt: manifest.attempt,
        region: manifest.region,
        env: JSON.stringify(manifest.env),
        started_at: manifest.startedAt ?? now,
        last_chunk_at: now,
        by_clock: isByClock ? 1 : 0,
        by_strangers: isOfStrangers ? 1 : 0,
      });
      if (!isByClock)
        await auditAct(within, actor, {
          at: now,
          action: "trace.capture",
          target: id,
          detail: { scenario_slug: slug },
        });
      const trace = await findTrace(within, id);
      publishCompletion(deps, after, trace!);
    });
    const root = `${base}/internal/v1/traces/${id}`;
    const urls = {
      chunks: `${root}/chunks`,
      blobs: `${root}/blobs`,
      artifacts: `${root}/artifacts`,
      end: `${root}/end`,
    };
    return { trace_id: id, short_id, urls };
  }

  async function chunk(actor: Actor, id: string, n: number, content: Content): Promise<ChunkTaken> {
    await requireTrace(deps, actor, id);
    const bytes = await collectLimited(content, MAX_CHUNK_BYTES);
    return lock(id, async () => {
      const trace = await requireRunning(deps, actor, id);
      const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
      if (n < trace.next_chunk) {
        const before = await chunkHash(store.records, id, n);
        if (before === null || before === sha256) return taken(trace);
        throw conflict(
          `Chunk ${n} was taken before with other bytes, and nothing of this one is taken: chunk ${trace.next_chunk} is expected next.`,
        );
      }
      if (n > trace.next_chunk)
        throw conflict(`Chunk ${n} comes too early: chunk ${trace.next_chunk} is expected next.`);
      const { lines, errors, texts } = await readChunk(bytes, trace.last_seq);
      const grown = lines.length > 0 ? await append(trace, { lines, texts, packed: bytes.length }) : 0;
      const last_seq = lines.at(-1)?.seq ?? trace.last_seq;
      const changes = {
        next_chunk: n + 1,
        last_seq,
        last_chunk_at: deps.clock.now(),
        event_count: trace.event_count + lines.length,
        error_count: trace.error_count + errors,
      };
      await commit(deps, async (within, after) => {
        await updateTrace(within, id, changes);
        await growTrace(within, id, grown);
        await noteChunk(within, { trace_id: id, n, sha256 });
        if (lines.length > 0)
          after.publish("trace", id, { type: "events", fromSeq: lines[0]!.seq, toSeq: lines.at(-1)!.seq });
      });
      return taken({ ...trace, ...changes });
    });
  }

  /** @returns by how many bytes the event file has grown. @throws AppError `bundle_too_large`, and nothing is kept */
  async function append(
    { id, total_size_bytes }: TraceRow,
    chunk: Pick<Chunk, "lines" | "texts"> & { packed: number },
  ): Promise<number> {
    const appender = await store.events.openAppender(id);
    const { size, storedSize: before } = appender.info;
    const { uploadCapBytes } = deps.config.limits;
    requireRoomForChunk(uploadCapBytes, { size, storedSize: before }, total_size_bytes, chunk);
    if (chunk.texts.length > 0) await keepTexts(deps, id, chunk.texts);
    const { storedSize } = await appender.append(chunk.lines);
    return storedSize - before;
  }

  async function end(actor: Actor, id: string, { status, ended_at }: CaptureEnd): Promise<CaptureEnded> {
    const endedAt = ended_at === undefined ? deps.clock.now() : fromIso(ended_at);
    if (endedAt === null) throw invalid('The body\'s field "ended_at" must be an ISO 8601 time.');
    return lock(id, async () => {
      const trace = await requireTrace(deps, actor, id);
      if (trace.status !== "running") {
        if (trace.claimed_status === status && trace.last_chunk_at !== null)
          return { trace_id: trace.id, status: trace.status };
        throw conflict("The capture of this trace has ended.");
      }
      const queued = await close(deps, trace, { status, endedAt, reason: null });
      return { trace_id: trace.id, status: queued?.status ?? "queued" };
    });
  }

  async function stalled(since: number): Promise<{ id: string; seen: number }[]> {
    const now = deps.clock.now();
    const running = await runningTraces(store.records);
    // A start that lies ahead is one of before the clock went back.
    const start = since > now ? 0 : since;
    return running
      .map(({ id, last_chunk_at }) => ({ id, seen: Math.max(last_chunk_at ?? 0, start) }))
      .filter(({ seen }) => seen > now || now - seen >= SILENCE_MS);
  }

  async function sweep(since: number): Promise<number> {
    const now = deps.clock.now();
    let count = 0;
    await forEachApart(deps, await stalled(since), "A silent capture could not be ended", async (capture) => {
      const { id, seen } = capture;
      // The clock went back: silence is counted from now on.
      if (seen > now) await updateTrace(store.records, id, { last_chunk_at: now });
      else if (await lock(id, () => abandon(id, seen))) count += 1;
    });
    return count;
  }

  const abort: CaptureService["abort"] = (id, reason, status = "aborted") =>
    lock(id, async () => {
      const trace = await findTrace(store.records, id);
      if (trace?.status !== "running") return;
      await close(deps, trace, { status, endedAt: trace.last_chunk_at, reason });
    });

  async function abandon(id: string, seen: number): Promise<boolean> {
    const trace = await findTrace(store.records, id);
    if (trace?.status !== "running" || (trace.last_chunk_at ?? 0) > seen) return false;
    deps.log.warn("A capture that fell silent is aborted", { trace: id });
    const reason = `No chunk came for ${SILENCE_MS / 1_000} s.`;
    await close(deps, trace, { status: "aborted", endedAt: trace.last_chunk_at, reason });
    return true;
  }

  const told = <T>(work: Promise<T>) =>
    work.catch((error) => {
      throw withKind(refusalOf(error));
    });
  return {
    begin,
    chunk: (actor, id, n, content) => told(chunk(actor, id.toLowerCase(), n, content)),
    blob: (actor, id, hash, content, givenType) =>
      told(takeBlob(deps, () => requireRunning(deps, actor, id), hash, content, givenType)),
    blobs: (actor, id, members) => told(takeBlobs(deps, () => requireRunning(deps, actor, id), members)),
    artifact: (actor, id, kind, content, givenType) =>
      told(takeArtifact(deps, lock, () => requireRunning(deps, actor, id), kind, content, givenType)),
    end: (actor, id, how) => told(end(actor, id.toLowerCase(), how)),
    sweep,
    stalled,
    abort,
  };
}

function taken(trace: Pick<TraceRow, "id" | "next_chunk" | "last_seq">): ChunkTaken {
  return { trace_id: trace.id, next_chunk: trace.next_chunk, last_seq: trace.last_seq };
}

/** @throws AppError `conflict` after the end */
async function requireRunning(deps: Deps, actor: Actor, id: string): Promise<TraceRow> {
  const trace = await requireTrace(deps, actor, id);
  if (trace.status === "running") return trace;
  throw conflict(`The capture of this trace has ended; its status is ${trace.status}.`);
}

/** Gives the event file its final form and queues the trace. Until the commit the capture may still go on. */
async function close(
  deps: Deps,
  trace: TraceRow,
  verdict: { status: TraceStatus; endedAt: number | null; reason: string | null },
): Promise<TraceRow | null> {
  const { store } = deps;
  const { id } = trace;
  await (await store.events.openAppender(id)).finish();
  const key = growingKey(id);
  const { path, indexPath, release } = await store.events.lease({ key });
  const events = { kind: "ndjson", path: key, media_type: "application/zstd", ...(await describeFile(path)) };
  const index = {
    kind: "event_index",
    path: eventIndexPath(key),
    media_type: "application/octet-stream",
    ...(await describeFile(indexPath)),
  };
  release();
  return commit(deps, async (within, after) => {
    for (const artifact of [events, index]) await putArtifact(within, { trace_id: id, ...artifact });
    await forgetChunks(within, id);
    await updateTrace(within, id, {
      status: "queued",
      status_reason: verdict.reason,
      claimed_status: verdict.status,
      ended_at: verdict.endedAt,
    });
    await after.add({ kind: PROCESS, payload: { trace_id: id }, dedupeKey: id });
    const queued = await findTrace(within, id);
    if (queued) publishCompletion(deps, after, queued);
    return queued;
  });
}

/** @throws AppError `invalid_request` naming the field */
function readManifest(body: unknown): Manifest {
  try {
    const manifest = parseManifest(Buffer.from(JSON.stringify(body)));
    if (manifest.scenarioSlug === null) throw invalid('The body\'s field "scenario.slug" is missing.');
    return manifest;
  } catch (error) {
    if (error instanceof ArchiveError)
      throw new AppError("invalid_request", error.message.replaceAll("manifest.json", "the manifest"));
    throw error;
  }
}
