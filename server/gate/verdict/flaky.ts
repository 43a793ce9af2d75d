/** A finished trace of a scenario's history. */
export interface PastVerdict {
  status: string;
}

/** A failure that went by itself so often is flaky. */
const LEAST = 2;

/**
 * How often a failure came and went by itself: the same one, and the next verdict of the scenario a pass.
 * @param past newest first, without the run that is judged
 * @returns null when that was fewer than two times
 */
export function flakyBefore<Past extends PastVerdict>(
  past: readonly Past[],
  isSame: (failure: Past) => boolean,
): { times: number; of: number } | null {
  const verdicts = past.filter(({ status }) => status === "passed" || status === "failed").toReversed();
  const times = verdicts.filter(
    (verdict, at) => verdict.status === "failed" && isSame(verdict) && verdicts[at + 1]?.status === "passed",
  ).length;
  return times < LEAST ? null : { times, of: verdicts.length };
}
