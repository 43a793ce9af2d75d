import { pickedBy } from "../../page/field-values.ts";
import type { Step } from "../../run/run-facts.ts";
import { counterpart, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isAnotherId } from "../../values/made-values.ts";
import { quoted, quotedStep } from "../../words.ts";

/** The last options that were picked. */
const MOST = 20;

/** An option that was picked by the same words as in every pass and has another value there, or none: that value is what a form sends. */
export function detectOtherOption({ run, passes, failed }: Evidence): Finding[] {
  if (passes.length === 0) return [];
  const steps = lastOf(run.facts.steps, MOST, (step) => wordsOf(step) !== null && step.ts <= failed.to);
  return steps.flatMap((step): Finding[] => {
    const words = wordsOf(step)!;
    const [now] = step.picked!;
    const theirs = passes.map(({ facts }) => pickedIn(counterpart(run.facts, step, facts), words));
    const before = theirs[0];
    const isSteady = theirs.every((value) => value !== null && value === before);
    if (now === undefined || before == null || !isSteady || before === now) return [];
    // One pass does not tell whether a value is made for each run.
    const [mine, usual] = [run.facts, passes[0]!.facts].map(({ normaliser }, at) =>
      normaliser.text(at === 0 ? now : before),
    );
    if (passes.length === 1 && (mine === usual || isAnotherId(mine, usual))) return [];
    const isItsText = now === words;
    return [
      {
        kind: "page_changed",
        title: isItsText
          ? `The option ${quoted(words, 60)} has lost its value ${quoted(before, 60)}, so that its text stands for it: ${quotedStep(step)} picked it`
          : `The option ${quoted(words, 60)} has the value ${quoted(now, 60)} instead of ${quoted(before, 60)}, which it has in the last pass: ${quotedStep(step)} picked it`,
        detail: null,
        step_id: step.step_id,
        events: [step.seq],
        ts: step.ts,
        is_new: true,
        weight: passes.length > 1 ? 0.93 : 0.8,
        about: `picked ${step.seq}`,
        said: now,
      },
    ];
  });
}

/** The words that one option was picked by; null where it was none, several, or picked by its place. */
function wordsOf(step: Step): string | null {
  const [words, ...more] = pickedBy(step);
  return !step.isFailed && step.picked?.length === 1 && more.length === 0 ? (words ?? null) : null;
}

/** The value of what a pass picked by the same words. */
const pickedIn = (step: Step | null, words: string): string | null =>
  step !== null && wordsOf(step) === words ? (step.picked![0] ?? null) : null;
