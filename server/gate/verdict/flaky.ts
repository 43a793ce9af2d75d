/** A finished trace of a scenario's history. */
export interface PastVerdict {
  status: string;
  /** The commit that ran; null where nobody said. */
  code_sha?: string | null;
}

/** A failure that went by itself so often is flaky. */
const LEAST = 2;

/**
 * How often a failure came and went by itself: the same one, and the next verdict of the same code a pass. A pass of another commit says
 * that the code differs.
 * @param past newest first, without the run that is judged
 * @returns null when that was fewer than two times
 */
export function flakyBefore<Past extends PastVerdict>(
  past: readonly Past[],
  isSame: (failure: Past) => boolean,
): { times: number; of: number } | null {
  const verdicts = past.filter(({ status }) => status === "passed" || status === "failed").toReversed();
  const nextOf = (at: number): Past | undefined =>
    verdicts.slice(at + 1).find(({ code_sha }) => code_sha === verdicts[at]!.code_sha);
  const times = verdicts.filter(
    (verdict, at) => verdict.status === "failed" && isSame(verdict) && nextOf(at)?.status === "passed",
  ).length;
  return times < LEAST ? null : { times, of: verdicts.length };
}
