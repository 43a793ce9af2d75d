import type { BlobLocation } from "../../../store/records/blobs.ts";
import type { Manifest } from "./manifest.ts";

/** A checked file in the staging folder, to be an artifact of the trace. */
export interface StagedArtifact {
  kind: "ndjson" | "event_index" | "video" | "playwright" | "rrweb" | "report" | "uploaded_summary";
  /** Inside the trace's folder. */
  name: string;
  size: number;
  sha256: string;
  mediaType: string;
}

/** What an upload turned out to hold. Its files lie in the staging folder, fsynced. */
export interface Unpacked {
  manifest: Manifest | null;
  artifacts: StagedArtifact[];
  /** Files `<blobs>/<hash>`. */
  blobs: { hash: string; size: number }[];
  /** Blobs whose bytes came with the upload: as files, or inside an archive. */
  references: { hash: string; mediaType: string | null }[];
  /** Named blobs that lie inside an artifact; `container` is its name in the trace's folder. */
  archived: BlobLocation[];
  /** Hash of the last picture of the page. */
  finalScreenshot: string | null;
  eventCount: number;
  warnings: string[];
}

export interface UnpackInput {
  /** The file to unpack. */
  upload: string;
  /** Whether it may be moved; if not it is only read. */
  isOwned: boolean;
  /** SHA-256 hex of the file where it is known already. */
  sha256: string | null;
  /** Empty folders that take what comes out. */
  blobs: string;
  trace: string;
  /** What it may unpack to. */
  maxUnpackedBytes: number;
  /** Of a bundle that is still being written: see `growing.ts`. */
  growth?: SharedArrayBuffer;
}
