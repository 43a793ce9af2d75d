import type { Deps } from "../../deps.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { createCaptureService } from "./service.ts";

const EVERY_MS = 10_000;

/**
 * Aborts captures that fell silent. The time the server was down does not count as silence: a sender that kept trying
 * has another two minutes from the start.
 */
export function sweepStalled(deps: Deps): PeriodicTask {
  const since = deps.clock.now();
  const service = createCaptureService(deps);
  return {
    name: "capture.sweep",
    everyMs: EVERY_MS,
    of: "store",
    isDue: async () => (await service.stalled(since)).length > 0,
    async run() {
      await service.sweep(since);
    },
  };
}
