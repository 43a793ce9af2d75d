/** What of two traces is compared; `overview` counts all the others. */
export const DIMENSIONS = ["overview", "steps", "network", "dom", "clone", "console"] as const;
export type Dimension = (typeof DIMENSIONS)[number];
export type ComparedDimension = Exclude<Dimension, "overview">;

export type Change = "added" | "removed" | "changed" | "same";

/** One side of an item: where in that trace it is, and what was there. */
export interface DiffSide {
  seq?: number;
  /** Epoch ms. */
  ts?: number;
  step_id?: string | null;
  [field: string]: unknown;
}

export interface Difference {
  /** JSON Pointer (RFC 6901) to what differs. */
  path: string;
  /** As recorded, cut; absent on a side that has no such value. */
  a?: unknown;
  b?: unknown;
}

export interface DiffDetail {
  /** At most `MOST_DIFFERENCES`. */
  differences?: Difference[];
  /** How things go in `b`, where they went otherwise in `a`. */
  now?: "failing" | "passing";
  /** How often it happened, where that is not once each. */
  times?: { a: number; b: number };
  /** Of which trace only the beginning was compared, in sentences. */
  not_compared?: string;
  [field: string]: unknown;
}

export interface DiffItem {
  /** Names the compared thing, with everything that varies between runs replaced. */
  key: string;
  change: Change;
  a?: DiffSide;
  b?: DiffSide;
  detail?: DiffDetail;
}

export interface DiffSummary {
  added: number;
  removed: number;
  changed: number;
  same: number;
}

export interface DiffResult {
  /** The earliest item that is not the same in both. */
  first_divergence: ({ dimension: ComparedDimension } & DiffItem) | null;
  /** Of everything compared, however many items are told. */
  summary: DiffSummary;
  /** At most `MOST_ITEMS`, in the order of the steps: every difference before what is the same around it. */
  items: DiffItem[];
}

/** Where an item stands among all others: row of the aligned steps, rank of its kind, ms since the step began. */
export interface Place {
  row: number;
  rank: number;
  offset: number;
}

export type PlacedItem = DiffItem & { place: Place };

export const MOST_ITEMS = 500;
export const MOST_DIFFERENCES = 10;
