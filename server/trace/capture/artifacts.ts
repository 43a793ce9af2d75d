import { quote } from "../../../store/archives/policy.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { withBlobs } from "../../../store/loose-blobs.ts";
import { findArtifact, putArtifact } from "../../../store/records/artifacts.ts";
import { namedAmong, referenceBlobs, registerLooseBlobs } from "../../../store/records/blobs.ts";
import { growTrace, type TraceRow, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid } from "../../http/errors.ts";
import { commit } from "../../jobs/commit.ts";
import type { KeyedLock } from "../../platform/keyed-lock.ts";
import { sniffMediaType } from "../format/media.ts";
import { MOST_UPLOADED_SUMMARY, UPLOADED_SUMMARY } from "../kinds.ts";
import type { ArtifactKind, ArtifactTaken, BlobsTaken, BlobTaken } from "./model.ts";
import { requireRoomForBlobs } from "./room.ts";
import {
  type Content,
  type Members,
  type StagedFile,
  stageBytes,
  stageFile,
  stageMembers,
} from "./staging.ts";

const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/;
const HASH = /^[0-9a-f]{64}$/;
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** Stores a blob under its hash and notes that the trace names it. @throws AppError `blob_mismatch` */
export async function takeBlob(
  deps: Deps,
  running: () => Promise<TraceRow>,
  hash: string,
  content: Content,
  givenType: string | null,
): Promise<BlobTaken> {
  const { id } = await running();
  return stageFile(deps, content, async (file) => {
    if (file.sha256 !== hash)
      throw new AppError(
        "blob_mismatch",
        `The body's SHA-256 is ${file.sha256}, not the one of its address.`,
      );
    await running();
    await keepBlobs(deps, id, [{ file, mediaType: mediaTypeOf(givenType, file.head) }]);
    return { hash, size: file.size };
  });
}

/**
 * Stores several blobs, each under its hash, or none of them. A member that comes again has the same bytes, since both have
 * those of its name, and counts once.
 * @throws AppError `blob_mismatch` naming the member
 */
export async function takeBlobs(
  deps: Deps,
  running: () => Promise<TraceRow>,
  given: Members,
): Promise<BlobsTaken> {
  const { id } = await running();
  return stageMembers(deps, given, async (members) => {
    for (const { hash, sha256 } of members) {
      if (!HASH.test(hash))
        throw invalid(`The member ${quote(hash)} must be named by its SHA-256 in lower-case hex.`);
      if (hash !== sha256)
        throw new AppError("blob_mismatch", `The SHA-256 of the member ${hash} is ${sha256}, not its name.`);
    }
    await running();
    const once = [...new Map(members.map((member) => [member.sha256, member])).values()];
    await keepBlobs(
      deps,
      id,
      once.map((file) => ({ file, mediaType: sniffMediaType(file.head) })),
    );
    return { blobs: once.map(({ sha256, size }) => ({ hash: sha256, size })) };
  });
}

/** Stores a file of the trace in the place of one of its kind. @throws AppError `bundle_too_large`, `invalid_request` */
export async function takeArtifact(
  deps: Deps,
  lock: KeyedLock,
  running: () => Promise<TraceRow>,
  kind: ArtifactKind,
  content: Content,
  givenType: string | null,
): Promise<ArtifactTaken> {
  const { id } = await running();
  return stageFile(deps, content, async (file) => {
    if (kind === "summary" && file.size > MOST_UPLOADED_SUMMARY)
      throw new AppError(
        "bundle_too_large",
        `A summary must not be larger than ${MOST_UPLOADED_SUMMARY} bytes.`,
      );
    const artifact = fileOf(kind, givenType, file.head);
    return lock(id, async () => {
      await running();
      if (kind === "screenshot")
        await keepBlobs(deps, id, [{ file, mediaType: artifact.mediaType }], {
          final_screenshot: file.sha256,
        });
      else await keepFile(deps, id, artifact, file);
      return { kind, size: file.size };
    });
  });
}

/** Stores strings of events as blobs of the trace. */
export async function keepTexts(
  deps: Deps,
  traceId: string,
  texts: readonly { hash: string; bytes: Uint8Array; mediaType: string }[],
): Promise<void> {
  await stageBytes(
    deps,
    texts.map(({ bytes }) => bytes),
    (files) =>
      keepBlobs(
        deps,
        traceId,
        files.map((file, at) => ({ file, mediaType: texts[at]!.mediaType })),
      ),
  );
}

async function keepBlobs(
  deps: Deps,
  traceId: string,
  blobs: { file: Pick<StagedFile, "path" | "size" | "sha256">; mediaType: string | null }[],
  changes: Partial<Pick<TraceRow, "final_screenshot">> = {},
): Promise<void> {
  const staged = blobs.map(({ file }) => ({ path: file.path, hash: file.sha256, size: file.size }));
  const references = blobs.map(({ file, mediaType }) => ({ hash: file.sha256, mediaType }));
  await withBlobs(deps.store, staged, deps.ids.secret(8), (loose) =>
    commit(deps, async (within) => {
      const named = await namedAmong(
        within,
        traceId,
        staged.map(({ hash }) => hash),
      );
      const added = staged.filter(({ hash }) => !named.has(hash)).reduce((sum, { size }) => sum + size, 0);
      const has = await growTrace(within, traceId, added);
      if (added > 0) requireRoomForBlobs(deps.config.limits.uploadCapBytes, has ?? 0);
      await registerLooseBlobs(within, loose, deps.clock.now());
      await referenceBlobs(within, traceId, references);
      if (Object.keys(changes).length > 0) await updateTrace(within, traceId, changes);
    }),
  );
}

async function keepFile(deps: Deps, traceId: string, artifact: TraceFile, file: StagedFile): Promise<void> {
  const { records, files } = deps.store;
  const before = await findArtifact(records, traceId, artifact.kind);
  const { path, sha256, size } = file;
  const key = await files.put({ path, traceId, name: artifact.name, sha256 });
  await putArtifact(records, {
    trace_id: traceId,
    kind: artifact.kind,
    path: key,
    size,
    media_type: artifact.mediaType,
    sha256,
  });
  if (before && before.path !== key) await files.remove(before.path);
}

interface TraceFile {
  /** As the store names it. */
  kind: string;
  name: string;
  mediaType: string;
}

/** @throws AppError `invalid_request` when the bytes are not of the kind's form */
function fileOf(kind: ArtifactKind, givenType: string | null, head: Uint8Array): TraceFile {
  switch (kind) {
    case "video": {
      const isWebm = sniffMediaType(head) === "video/webm";
      const isMp4 = Buffer.from(head.subarray(4, 8)).toString("latin1") === "ftyp";
      if (!isWebm && !isMp4) throw invalid("A video must be WebM or MP4.");
      return isWebm
        ? { kind, name: "video.webm", mediaType: "video/webm" }
        : { kind, name: "video.mp4", mediaType: "video/mp4" };
    }
    case "playwright":
      if (head[0] !== 0x50 || head[1] !== 0x4b) throw invalid("A Playwright archive must be a zip file.");
      return { kind, name: TRACE_FILES.playwright, mediaType: "application/zip" };
    case "rrweb":
      if (!ZSTD_MAGIC.every((byte, at) => head[at] === byte))
        throw invalid("The DOM recording must be zstd-compressed NDJSON.");
      return { kind, name: TRACE_FILES.rrweb, mediaType: "application/zstd" };
    case "summary":
      return { ...UPLOADED_SUMMARY, mediaType: "application/json" };
    case "report":
      return { kind, name: TRACE_FILES.report, mediaType: "text/markdown" };
    case "screenshot": {
      const mediaType = mediaTypeOf(givenType, head);
      if (!mediaType?.startsWith("image/")) throw invalid("A screenshot must be an image.");
      return { kind, name: "", mediaType };
    }
  }
}

/** What the bytes say, else what the sender says. */
function mediaTypeOf(givenType: string | null, head: Uint8Array): string | null {
  const sniffed = sniffMediaType(head);
  if (sniffed) return sniffed;
  const given = givenType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return MEDIA_TYPE.test(given) && given !== "application/octet-stream" ? given : null;
}
