import type { Failed } from "../types.ts";
import type { RunFacts, Step } from "./run-facts.ts";
import { counterpart } from "./select.ts";

/** The last reading calls of a test that are compared. */
const MOST = 5;

/**
 * A failure that no step tells of, for the test judged by itself: by the last value that it read and that every pass read otherwise, each
 * of them the same. What the passes read is what it expects.
 */
export function withReadValue(failed: Failed, run: RunFacts, passes: readonly RunFacts[]): Failed {
  const isTold = failed.step !== null || failed.expected !== null || failed.stack.length > 0;
  if (isTold || passes.length === 0) return failed;
  const reads = run.steps.filter(({ returned, ts }) => returned !== null && ts <= failed.to).slice(-MOST);
  const compared = reads.toReversed().map((step) => ({ step, usual: readsIn(step, run, passes) }));
  const other =
    compared.find(({ step, usual }) => isOtherwise(plainOf(step, run), usual, ({ plain }) => plain)) ??
    // Two passes tell by themselves whether a time or a number varies.
    compared.find(
      ({ step, usual }) => usual.length > 1 && isOtherwise(step.returned, usual, ({ value }) => value),
    );
  if (!other) return failed;
  const { step, usual } = other;
  return {
    ...failed,
    step,
    from: step.ts,
    to: step.end,
    expected: usual[0]!.value,
    received: step.returned,
    isExpectedByPasses: true,
  };
}

/** What a pass read. */
interface Read {
  value: string;
  /** Without ids and times. */
  plain: string;
}

/** Whether every pass read the same, and this run something else. */
const isOtherwise = (mine: string | null, usual: readonly Read[], said: (read: Read) => string): boolean =>
  usual.length > 0 && said(usual[0]!) !== mine && usual.every((read) => said(read) === said(usual[0]!));

/** What each pass read there; nothing where one of them did not. */
function readsIn(step: Step, run: RunFacts, passes: readonly RunFacts[]): Read[] {
  const all = passes.flatMap((pass) => {
    const same = counterpart(run, step, pass);
    return same === null || same.returned === null
      ? []
      : [{ value: same.returned, plain: plainOf(same, pass) }];
  });
  return all.length < passes.length ? [] : all;
}

const plainOf = ({ returned }: Step, { normaliser }: RunFacts): string => normaliser.text(returned ?? "");
