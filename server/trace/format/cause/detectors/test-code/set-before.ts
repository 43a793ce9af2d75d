import { pickedBy } from "../../page/field-values.ts";
import { targetOf } from "../../page/target.ts";
import type { Step } from "../../run/run-facts.ts";
import { momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

/**
 * A field that had from the start what every pass gives it itself, and only after it read another value there: what the test changes is
 * shared with other runs, one of which has changed it before.
 */
export function detectSetBefore(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { step, expected, received } = failed;
  if (step?.kind !== "assertion" || expected === null || received === null || passes.length === 0) return [];
  const target = targetOf(evidence);
  const [had, wanted] = [bareOf(received), bareOf(expected)];
  if (had === "" || had === wanted || actsOn(run, target).some(({ ts }) => ts < failed.to)) return [];
  const isGivenLater = (pass: RunEvidence): boolean => {
    const moment = momentIn(pass.facts, run.facts, failed);
    const acts = actsOn(pass, target);
    const [first] = acts;
    return moment !== null && first !== undefined && first.ts >= moment && givenBy(first).includes(had);
  };
  if (!passes.every(isGivenLater)) return [];
  return [
    {
      kind: "test_code",
      title: `${target} had ${quoted(had, 60)} already when the test came to it, which it sets itself only later, as in the last pass, that began with ${quoted(wanted, 60)}: another test or an earlier run has changed what they share`,
      detail: null,
      step_id: step.step_id,
      events: [step.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.82,
      about: `test ${step.seq}`,
    },
  ];
}

/** What was given to an element, by the words of its locator. */
const actsOn = ({ facts }: RunEvidence, target: string): Step[] =>
  facts.steps.filter(
    (step) => step.kind === "agent.action" && step.title.endsWith(target) && givenBy(step).length > 0,
  );

const givenBy = (step: Step): string[] =>
  [step.params.value, step.params.text, ...pickedBy(step)].filter(
    (given): given is string => typeof given === "string" && given !== "",
  );
