import { setPriority } from "node:os";

/**
 * A tenth of the share of others who want the processor, and all of it when nobody does. Not the least there is: a helper of the
 * garbage collector that this thread starts inherits it, and every thread waits for those.
 */
const NICE = 10;

/**
 * Lets others go first from now on. Linux has a priority for each thread; elsewhere it is the whole process's, and stays as
 * it is.
 */
export function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, NICE);
  } catch {
    // A sandbox may forbid it: then the work is done at the usual priority.
  }
}
