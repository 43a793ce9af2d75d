import type { Pair } from "./align.ts";
import type { TraceFacts } from "./facts.ts";
import type { Normalisers } from "./values.ts";

/** The steps of both traces side by side. */
export interface AlignedSteps {
  rows: Pair[];
  /** Row of each step, by its place among the steps of its trace. */
  rowsA: number[];
  rowsB: number[];
}

/** Both traces, with their steps aligned: what every other dimension is placed by. */
export interface Comparison {
  a: TraceFacts;
  b: TraceFacts;
  aligned: AlignedSteps;
  /** Decide whether two things are the same once they are paired: those of the traces, or such that replace nothing. */
  by: Normalisers;
}
