import { basename } from "node:path";
import type { ArtifactRow } from "../../../store/records/artifacts.ts";
import type { ShareVisibility } from "../../../store/records/schema.ts";
import type { Deps } from "../../deps.ts";

type LinkDeps = Pick<Deps, "signedUrls">;

/** The kind under which `/files/{trace}/{kind}/{name}` serves blobs. No artifact has it. */
export const BLOB_KIND = "blob";

/** How a link came about: one handed out by a shared page ends with the share, or when that gets narrower. */
export interface LinkOptions {
  viaShare?: ShareVisibility | null;
  /** HTML is shown as a page, without what reaches for other hosts; else it is for saving. */
  isPage?: boolean;
}

/** A link, good for a while and for anyone who has it, to a file of a trace. */
export function signArtifact(
  deps: LinkDeps,
  base: string,
  artifact: ArtifactRow,
  options: LinkOptions = {},
): string {
  return sign(
    deps,
    base,
    `/files/${artifact.trace_id}/${artifact.kind}/${artifactFileName(artifact)}`,
    options,
  );
}

/** A link, good for a while and for anyone who has it, to a blob as a trace names it. */
export function signBlob(
  deps: LinkDeps,
  base: string,
  blob: { traceId: string; hash: string },
  options: LinkOptions = {},
): string {
  return sign(deps, base, `/files/${blob.traceId}/${BLOB_KIND}/${blob.hash}`, options);
}

/** The parameter that marks links of a shared page: how the trace was shared then. */
export const VIA_SHARE = "share";

/** The parameter that marks links to what is shown as a page. */
export const AS = "as";
export const PAGE = "page";

function sign(deps: LinkDeps, base: string, path: string, { viaShare, isPage }: LinkOptions): string {
  return deps.signedUrls.sign(base, path, {
    ...(viaShare ? { [VIA_SHARE]: viaShare } : {}),
    ...(isPage ? { [AS]: PAGE } : {}),
  });
}

/** The name a file had before it was packed. */
export function artifactFileName(artifact: Pick<ArtifactRow, "kind" | "path" | "media_type">): string {
  switch (artifact.kind) {
    case "ndjson":
      return "events.ndjson.zst";
    case "event_index":
      return "events.index";
    case "playwright":
      return "playwright.zip";
    case "snapshots":
      return "playwright.snapshots";
    case "video":
      return artifact.media_type === "video/mp4" ? "video.mp4" : "video.webm";
    case "rrweb":
      return "rrweb.ndjson.zst";
    case "summary":
      return "summary.json";
    case "report":
      return "report.md";
    case "manifest":
      return "manifest.json";
    default:
      return basename(artifact.path);
  }
}
