/** A finished trace of a scenario's history. */
export interface PastVerdict {
  status: string;
  /** The commit that ran; null where nobody said. */
  code_sha: string | null;
  region: string | null;
  /** What it shares with other attempts at the same thing: the fire of a check, or the run of a test. Null where it is alone. */
  fire: string | null;
}

/** A failure that went by itself so often is flaky. */
const LEAST = 2;

/**
 * How often a failure came and went by itself: the same one, and the next verdict of the same code in the same region a pass. A pass
 * of another commit says that the code differs, and where no commit is known, only another attempt at the same fire is of the same code.
 * @param past newest first, without the run that is judged
 * @returns null when that was fewer than two times
 */
export function flakyBefore<Past extends PastVerdict>(
  past: readonly Past[],
  isSame: (failure: Past) => boolean,
): { times: number; of: number } | null {
  const verdicts = past.filter(({ status }) => status === "passed" || status === "failed").toReversed();
  const nextOf = (at: number): Past | undefined =>
    verdicts.slice(at + 1).find((later) => isOfSameCode(verdicts[at]!, later));
  const times = verdicts.filter(
    (verdict, at) => verdict.status === "failed" && isSame(verdict) && nextOf(at)?.status === "passed",
  ).length;
  return times < LEAST ? null : { times, of: verdicts.length };
}

function isOfSameCode(one: PastVerdict, later: PastVerdict): boolean {
  if (one.region !== later.region) return false;
  if (one.code_sha !== null || later.code_sha !== null) return one.code_sha === later.code_sha;
  return one.fire !== null && one.fire === later.fire;
}
