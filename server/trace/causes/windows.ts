import { type WindowSize, windowOf } from "../format/cause/style/media.ts";
import type { RunEvidence } from "../format/cause/types.ts";

/**
 * Puts the window that each run's page was recorded in in place of the one that the run began with, which the test may have
 * resized. Only where every page tells its own: the one kind of size is not compared with the other.
 */
export function tellRecordedWindows(
  runs: readonly RunEvidence[],
  recorded: ReadonlyMap<RunEvidence, WindowSize>,
): void {
  if (!runs.every((run) => recorded.has(run))) return;
  for (const run of runs) {
    const window = recorded.get(run)!;
    if (isZoomedOut(window, windowOf(run.environment.viewport))) continue;
    run.environment = { ...run.environment, viewport: `${window.width} × ${window.height}` };
  }
}

/** A phone shows a page that is too wide for it as a whole: scripts see a larger window of the same shape, to the pixel. */
function isZoomedOut(window: WindowSize, begun: WindowSize | null): boolean {
  if (begun === null || window.width <= begun.width) return false;
  const skew = Math.abs(window.width * begun.height - window.height * begun.width);
  return skew <= Math.max(begun.width, begun.height);
}
