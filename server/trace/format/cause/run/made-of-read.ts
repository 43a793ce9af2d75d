import { oncePer } from "../once.ts";
import type { Evidence } from "../types.ts";
import type { Step } from "./run-facts.ts";
import { counterpart } from "./select.ts";

/**
 * The last step before the failed one that read another text from the page than in a pass, where the failed one wants another as well:
 * what it wants is made of what was read. Null where there is none.
 */
export const readOtherwise = oncePer(({ run, passes, failed }: Evidence, _: "read"): Step | null => {
  const { step } = failed;
  if (step === null || failed.expected === null) return null;
  const wanting = passes.filter(({ facts }) => {
    const wanted = counterpart(run.facts, step, facts)?.expected ?? null;
    return wanted !== null && wanted !== failed.expected;
  });
  const isOther = (read: Step) =>
    wanting.some(({ facts }) => {
      const same = counterpart(run.facts, read, facts)?.returned ?? null;
      return same !== null && same !== read.returned;
    });
  return (
    run.facts.steps
      .filter(({ returned, end }) => returned !== null && end <= failed.from)
      .slice(-MOST)
      .findLast(isOther) ?? null
  );
});

/** The last reading calls of a test that are compared. */
const MOST = 20;
