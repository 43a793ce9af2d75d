import type { Clock } from "../../platform/clock.ts";
import { counted } from "../../trace/format/words.ts";
import { createLimiter } from "./limiter.ts";
import type { Recorder } from "./recorder.ts";

/** Requests that are listed, WebSockets among them; scenarios may ask about all of them. */
const MOST_A_SECOND = 500;
const MOST_OF_RUN = 10_000;

/** Numbers the requests of a run and bounds how many of them its recording lists. */
export interface RequestList {
  /** Whether one more is listed. What comes of one that is not is not listed either. */
  admits(): boolean;
  /** The next `request_id`; those that are not listed have one too. */
  nextId(): string;
  /** Notes in the recording how many were not listed since this was last asked for. */
  noteUnlisted(): void;
}

export function createRequestList({ clock, recorder }: { clock: Clock; recorder: Recorder }): RequestList {
  let last = 0;
  let listed = 0;
  let unlisted = 0;
  const limiter = createLimiter(clock, MOST_A_SECOND, (count) => {
    unlisted += count;
  });

  return {
    admits() {
      if (listed >= MOST_OF_RUN) {
        unlisted += 1;
        return false;
      }
      const isListed = limiter.admits();
      if (isListed) listed += 1;
      return isListed;
    },
    nextId() {
      last += 1;
      return `r${last}`;
    },
    noteUnlisted() {
      limiter.finish();
      if (unlisted === 0) return;
      recorder.note(
        `${counted(unlisted, "request")} ${unlisted === 1 ? "is" : "are"} not listed: only the first ${MOST_A_SECOND} of a second and ${MOST_OF_RUN} of a run are.`,
      );
      unlisted = 0;
    },
  };
}
