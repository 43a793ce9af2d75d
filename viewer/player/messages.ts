/** What the viewer tells the player. */
export type ToPlayer =
  /** Bytes of the recording (NDJSON), in order. */
  | { type: "chunk"; bytes: Uint8Array }
  /** There is no more; `isCut` when there was, but it could not be had. */
  | { type: "end"; isCut: boolean }
  /** The moment to show, epoch ms. A later one takes its place. */
  | { type: "show"; ts: number };

/** A span of time without any change to the page, epoch ms. */
export type Idle = readonly [from: number, to: number];

/** What is known of a recording so far. */
export interface RecordingIndex {
  type: "index";
  /** Times of the first and last event read, epoch ms; null before there is one. */
  first: number | null;
  last: number | null;
  /** When the first picture of the whole page was taken; nothing can be shown before it. */
  shownFrom: number | null;
  isComplete: boolean;
  isCut: boolean;
  /** Lines that are no events of a recording, and events that could not be shown. */
  skipped: number;
  idle: Idle[];
}

/** The page as it is shown now. */
export interface ShownPage {
  type: "shown";
  ts: number;
  /** `before`: nothing was recorded yet at that moment; `busy`: it takes a while. */
  state: "shown" | "before" | "busy";
  /** Of the recorded window, CSS pixels. */
  width: number;
  height: number;
}

/** What the player tells the viewer. */
export type FromPlayer = RecordingIndex | ShownPage | { type: "failed"; message: string };
