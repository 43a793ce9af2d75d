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
  /** Of a run that was processed right before: what a worker may hold its facts by. */
  held?: string;
}

export interface CauseInput {
  files: FilesAddress;
  run: RunSource;
  summary: ByteLocation;
  /** Newest first. */
  passes: RunSource[];
}
