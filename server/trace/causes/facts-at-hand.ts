import type { RunFacts } from "../format/cause/run/run-facts.ts";

let atHand: { name: string; finish: () => RunFacts } | null = null;

/**
 * Holds what a run tells for the task that comes next in this worker, mostly the one that looks for the run's cause: it would
 * read the same events once more. Bounded as `createRunReader` is.
 * @param name that no other run has
 */
export function holdFacts(name: string, finish: () => RunFacts): void {
  atHand = { name, finish };
}

/** What is held of this run; null when it is another's. It is held no longer. */
export function takeFacts(name: string): RunFacts | null {
  const held = atHand;
  atHand = null;
  return held?.name === name ? held.finish() : null;
}
