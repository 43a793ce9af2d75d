import { constants, getPriority, setPriority } from "node:os";

/**
 * A tenth of the share of others who want the processor, and all of it when nobody does. Not the least there is: a helper of the
 * garbage collector that this thread starts inherits it, and every thread waits for those.
 */
const NICE = 10;

/** Of this thread: who is asked again does not fall further back. */
let isLowered = false;

/**
 * Lets others go first from now on. Linux has a priority for each thread; elsewhere it is the whole process's, and stays as
 * it is.
 */
export function lowerPriority(): void {
  if (isLowered || process.platform !== "linux") return;
  isLowered = true;
  try {
    // Beside what the whole server was started with, which may be more than this already.
    setPriority(0, Math.min(getPriority(0) + NICE, constants.priority.PRIORITY_LOW));
  } catch {
    // A sandbox may forbid it: then the work is done at the usual priority.
  }
}
