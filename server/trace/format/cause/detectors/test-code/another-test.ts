import { wantedOn } from "../../page/wanted.ts";
import { readOtherwise } from "../../run/made-of-read.ts";
import type { RunFacts, Step } from "../../run/run-facts.ts";
import { scenarioTarget } from "../../run/scenario-words.ts";
import { counterpart, stepKey } from "../../run/select.ts";
import type { Evidence, Failed, Finding } from "../../types.ts";
import { bareOf, quoted, quotedStep } from "../../words.ts";

/** Steps of one run that are compared. */
const MOST_STEPS = 1_000;

/**
 * A step of the test that is another one than in every pass, in the same place, or that wants something else: the test was
 * changed, and not the product.
 */
export function detectAnotherTest(evidence: Evidence): Finding[] {
  return [...doneOtherwise(evidence), ...wantedOtherwise(evidence)];
}

/** An assertion that wants something else than in every pass, where the page shows what those wanted. */
function wantedOtherwise(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { step, expected, received } = failed;
  if (step?.kind !== "assertion" || expected === null || received === null || passes.length === 0) return [];
  const theirs = passes.map(({ facts }) => {
    const same = counterpart(run.facts, step, facts);
    return same?.isFailed === false && same.expected !== null ? bareOf(same.expected) : null;
  });
  const [usual] = theirs;
  if (!usual || theirs.some((one) => one !== usual)) return [];
  const got = bareOf(received);
  const isShown = /contain/i.test(step.name) ? got.includes(usual) : got === usual;
  if (usual === bareOf(expected.replace(NEGATED, "")) || !isShown) return [];
  if (readOtherwise(evidence, "read") !== null) return [];
  return [
    {
      kind: "test_code",
      title: `The test itself wants ${quoted(bareOf(expected), 80)} where it wanted ${quoted(usual, 80)} in the last pass, which the page shows still`,
      detail: null,
      step_id: step.step_id,
      events: [step.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.93,
      about: `test ${step.seq}`,
    },
  ];
}

/** How an assertion that must not hold says what it expects. */
const NEGATED = /^not /;

/** The first step that no pass has, in the place of one that every pass has there. */
function doneOtherwise(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { step } = failed;
  if (!step || passes.length === 0) return [];
  const mine = stepsOf(run.facts).filter(({ seq }) => seq <= step.seq);
  const theirs = passes.map(({ facts }) => ({ facts, steps: stepsOf(facts) }));
  const keys = new Set(mine.map((one) => stepKey(one, run.facts)));
  const known = theirs.map(({ facts, steps }) => new Set(steps.map((one) => stepKey(one, facts))));
  const at = mine.findIndex((one) => known.every((set) => !set.has(stepKey(one, run.facts))));
  const other = mine[at];
  if (!other) return [];
  const before = mine[at - 1];
  const replaced = theirs.map(({ facts, steps }) => {
    const from = before ? steps.findIndex((one) => stepKey(one, facts) === stepKey(before, run.facts)) : -1;
    const next = before && from < 0 ? undefined : steps[from + 1];
    return next && next.kind === other.kind && next.name === other.name && !keys.has(stepKey(next, facts))
      ? next
      : undefined;
  });
  const [usual] = replaced;
  // What each pass does otherwise is made anew for each run.
  if (!usual || replaced.some((one) => one === undefined || bare(one) !== bare(usual))) return [];
  if (bare(usual) === bare(other)) return [];
  // What is given to the same element is told by itself.
  if (placeOf(usual) === placeOf(other)) return [];
  const isThere =
    other === step && wantedOn({ failed: asFailed(failed, usual) }, run.page?.elements ?? []).length > 0;
  return [
    {
      kind: "test_code",
      title: `The test itself did another thing than in the last pass: ${quotedStep(other)}${other === step ? matchedBy(failed) : ""} where that did ${quotedStep(usual)}${isThere ? ", which the page has still" : ""}`,
      detail: null,
      step_id: other.step_id,
      events: [other.seq],
      ts: other.end,
      is_new: true,
      // One pass does not tell what a test makes anew for each run.
      weight: isThere ? 0.93 : passes.length === 1 ? 0.42 : 0.55,
      about: `test ${other.seq}`,
    },
  ];
}

/** How many elements the failed step matched where it may mean but one, as a clause; empty where that is not why it failed. */
function matchedBy({ message }: Failed): string {
  const count = message.includes("strict mode violation") ? SEVERAL.exec(message)?.[1] : undefined;
  return count === undefined ? "" : `, which matched ${count} elements,`;
}

const SEVERAL = / resolved to (\d{1,6}) elements/;

/** In the words of Playwright, and of scenarios. */
const TOLD =
  /^(?:expect|go|double_click|select|upload|drag|scroll)$|^(?:\w+\.)?(?:click|dblclick|tap|press|pressSequentially|type|clear|fill|check|uncheck|setChecked|selectOption|dragTo|dragAndDrop|setInputFiles|hover|focus|goto|insertText|down|to[A-Z]\w+)$/;

/** What the test did and looked for, in order; what it tried again stands once. */
function stepsOf(facts: RunFacts): Step[] {
  const steps = facts.steps.filter(
    ({ kind, name, category }) =>
      (kind === "assertion" || kind === "agent.action") &&
      (category === null || category === "pw:api" || category === "expect") &&
      TOLD.test(name),
  );
  return steps
    .filter((one, at) => at === 0 || stepKey(one, facts) !== stepKey(steps[at - 1]!, facts))
    .slice(0, MOST_STEPS);
}

/** Figures and ids are made anew for each run. */
const bare = ({ title }: Step) => title.replace(/[\w-]*\d[\w-]*/g, "0");

/** What a step acts on, without what it writes there. */
const placeOf = ({ params, title }: Step) =>
  typeof params.selector === "string"
    ? params.selector
    : (scenarioTarget({ title, message: "" }) ?? title.replace(/(["“]).*?["”]/, ""));

/** The failure as it would be told of another step. */
const asFailed = (failed: Failed, step: Step): Failed => ({
  ...failed,
  step,
  title: step.title,
  message: "",
});
