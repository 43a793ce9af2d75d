import type { Clock } from "../../platform/clock.ts";

/** Lets so many through a second: a page that does something without end must not fill the disk. */
export interface Limiter {
  admits(): boolean;
  /** Tells of what was left out last. */
  finish(): void;
}

/** @param onDropped is told how many of one second were left out, when the second is over */
export function createLimiter(
  clock: Clock,
  mostASecond: number,
  onDropped: (count: number) => void,
): Limiter {
  let second = 0;
  let count = 0;

  function finish(): void {
    if (count > mostASecond) onDropped(count - mostASecond);
    count = 0;
  }

  return {
    admits() {
      const now = Math.floor(clock.monotonic() / 1000);
      if (now !== second) {
        finish();
        second = now;
      }
      count += 1;
      return count <= mostASecond;
    },
    finish,
  };
}
