import { BlobDamagedError, type ByteLocation } from "../../../store/files/files.ts";
import { artifactLocation, blobLocation } from "../../../store/files/locations.ts";
import { findArtifact } from "../../../store/records/artifacts.ts";
import { findTraceBlob } from "../../../store/records/blobs.ts";
import { isOrgThere } from "../../../store/records/orgs.ts";
import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../http/errors.ts";
import { requireOnline } from "../access.ts";
import { sniffMediaType } from "../format/media.ts";
import { isShared } from "../model.ts";
import { bytesResponse } from "./bytes.ts";
import { AS, artifactFileName, BLOB_KIND, PAGE, VIA_SHARE } from "./links.ts";
import { pageOfFile } from "./page.ts";
import { whereItLies } from "./where-it-lies.ts";

/** Another file may become the artifact (recompression); what a hash names never changes. */
const REVALIDATED = "private, no-cache";
const FOR_GOOD = "private, max-age=31536000, immutable";

/**
 * The file that a signed link names.
 * @throws AppError `signature_invalid`, `not_found`, or what `bytesResponse` throws
 */
export async function serveSigned(
  deps: Deps,
  request: Request,
  named: { id: string; kind: string; name: string },
): Promise<Response> {
  const url = new URL(request.url);
  deps.signedUrls.verify(url);
  const trace = await findTrace(deps.store.records, named.id);
  if (!trace || !(await isOrgThere(deps.store.records, trace.org_id))) throw notFound("This file");
  const sharedAs = url.searchParams.get(VIA_SHARE);
  const viaShare = sharedAs !== null;
  const isNarrower = sharedAs === "public-read" && trace.share_visibility !== "public-read";
  if (viaShare && (isNarrower || !isShared(trace, deps.clock.now())))
    throw new AppError("signature_invalid", "The link has ended with the share that it came from.");
  const isPage = url.searchParams.get(AS) === PAGE;
  if (named.kind !== BLOB_KIND) return artifactResponse(deps, request, trace, named.kind);
  return whereItLies(deps, trace, (now) =>
    blobResponse(deps, request, now, named.name, { viaShare, isPage }),
  );
}

/** An artifact of a trace. @throws AppError `not_found`, or what `whereItLies` throws */
export const artifactResponse = (deps: Deps, request: Request, trace: TraceRow, kind: string) =>
  whereItLies(deps, trace, (now) => artifactBytes(deps, request, now, kind));

async function artifactBytes(deps: Deps, request: Request, trace: TraceRow, kind: string): Promise<Response> {
  const artifact = await findArtifact(deps.store.records, trace.id, kind);
  if (!artifact) throw notFound(`A file "${kind}" of this trace`);
  if (kind !== "summary") requireOnline(trace);
  return bytesResponse(deps, request, {
    location: artifactLocation(artifact),
    sha256: artifact.sha256,
    mediaType: artifact.media_type,
    fileName: artifactFileName(artifact),
    mayBeFramed: false,
    cacheControl: REVALIDATED,
  });
}

/** A blob of a trace, as a file. @throws AppError `not_found`, or what `whereItLies` throws */
export const serveBlob = (deps: Deps, request: Request, trace: TraceRow, hash: string) =>
  whereItLies(deps, trace, (now) =>
    blobResponse(deps, request, now, hash, { viaShare: false, isPage: false }),
  );

async function blobResponse(
  deps: Deps,
  request: Request,
  trace: TraceRow,
  hash: string,
  { viaShare, isPage }: { viaShare: boolean; isPage: boolean },
): Promise<Response> {
  const blob = await findTraceBlob(deps.store.records, trace.id, hash);
  if (!blob) throw notFound("This blob of this trace");
  const location = blobLocation(hash, blob);
  const mediaType = blob.mediaType ?? (await sniffed(deps, location));
  if (isPage && /^text\/html\b/i.test(mediaType ?? ""))
    // Opened before the answer begins: from now on the file may move.
    return pageOfFile(await deps.store.files.open(location), {
      mayBeFramed: viaShare,
      cacheControl: viaShare ? REVALIDATED : FOR_GOOD,
    });
  return bytesResponse(deps, request, {
    location,
    sha256: hash,
    mediaType,
    fileName: `${hash}${EXTENSIONS[mediaType ?? ""] ?? ""}`,
    mayBeFramed: viaShare,
    cacheControl: viaShare ? REVALIDATED : FOR_GOOD,
  });
}

/**
 * Pictures, videos and pages that nobody gave a type are told by their first bytes: while a trace runs, nobody has yet read
 * what its events say of them. Damage is found when they are served.
 */
async function sniffed(deps: Deps, location: ByteLocation): Promise<string | null> {
  try {
    const head = deps.store.files.stream(location, { start: 0, end: Math.min(HEAD, location.size) });
    const bytes = await new Response(head).bytes();
    return sniffMediaType(bytes) ?? (HTML_BEGINS.test(new TextDecoder().decode(bytes)) ? "text/html" : null);
  } catch (error) {
    if (error instanceof BlobDamagedError) return null;
    throw error;
  }
}

const HEAD = 16;
/** As the MIME Sniffing Standard has it (7.1), of how recorders begin a page. */
const HTML_BEGINS = /^<(?:!doctype html|html)[ >]/i;

const EXTENSIONS: Record<string, string> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/webp": ".webp",
  "image/gif": ".gif",
  "image/svg+xml": ".svg",
  "text/html": ".html",
  "text/plain": ".txt",
  "text/css": ".css",
  "application/json": ".json",
  "video/webm": ".webm",
  "video/mp4": ".mp4",
};
