import type { WholeFile } from "../../../store/events/whole-file.ts";
import type { ByteLocation, FilesAddress } from "../../../store/files/files.ts";

/** Where a run's files lie. */
export interface RunSource {
  /** Leased while the task runs. */
  events: WholeFile;
  blobs: Map<string, ByteLocation>;
  /** The pages of a Playwright archive. */
  snapshots: ByteLocation | null;
  environment: Record<string, unknown>;
}

/** A run and those that it is compared with. */
export interface Comparison {
  files: FilesAddress;
  run: RunSource;
  /** Newest first. */
  passes: RunSource[];
}

export interface CauseInput extends Comparison {
  summary: ByteLocation;
}

const LARGEST_BLOB = 4 * 1024 * 1024;
const TEXTUAL = /json|text|html|xml|urlencoded|graphql|javascript|ecmascript/i;

/** Whether a cause may be told by what a blob says. */
export const isTelling = (mediaType: string | null, size: number): boolean =>
  size <= LARGEST_BLOB && (mediaType === null || TEXTUAL.test(mediaType));
