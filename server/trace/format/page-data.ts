import type { Cause } from "./cause/types.ts";
import type { IndexedFrame, IndexedResponse } from "./playwright/snapshot-index.ts";
import type { Summary } from "./summary.ts";

/** A recording of the page in motion, and whether it is in an exported page. `bytes`: as it is stored. */
export interface MediaInPage {
  bytes: number;
  is_in: boolean;
}

/** What an exported page knows of itself, in its first part. Parts are named without their prefix `td-`. */
export interface PageMeta {
  version: 1;
  /** ISO 8601 */
  exported_at: string;
  /** Where the trace is kept. */
  url: string;
  /** As the viewer's trace page takes it. */
  detail: Record<string, unknown>;
  summary: Summary;
  /** Why the trace failed. */
  cause: Cause;
  /** What did not fit: bodies, pictures, recordings and the like, and their bytes. */
  left_out: { count: number; bytes: number };
  /** Whether recorded pages other than those of the failure were left out. */
  are_pages_left_out: boolean;
  /** Part `pages` says which recorded pages there are. */
  has_pages: boolean;
  /** Parts `recording` (NDJSON) and `player` (the script that plays it); null when the trace has none. */
  recording: MediaInPage | null;
  /** Part `video`; null when the trace has none. */
  video: MediaInPage | null;
}

/** Which events a part holds, row by row. */
export interface EventColumns {
  /** Each as the difference to the one before. */
  seqs: number[];
  kinds: string[];
  /** Places in `kinds`. */
  kind: number[];
  steps: string[];
  /** Places in `steps`, from 1; 0 for none. */
  step: number[];
}

/** Recorded pages: the index of a snapshot file, with the parts that hold what the pages load. */
export interface PageIndex {
  frames: IndexedFrame[];
  urls: string[];
  responses: IndexedResponse[];
  /** Per content: its part and its recorded media type. */
  contents: { part: string; type: string | null }[];
}
