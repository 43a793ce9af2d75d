import { type Held, heldBy, pickedBy } from "../../page/field-values.ts";
import { fieldOf, givenBefore } from "../../page/filled.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { lastPartOf, wantedBy, wantedOn } from "../../page/wanted.ts";
import type { Step } from "../../run/run-facts.ts";
import { actionBefore, counterpart } from "../../run/select.ts";
import type { Evidence, Failed, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { bareOf, quoted, quotedStep } from "../../words.ts";

/** What the failed step looks at; what it does not may have been emptied of course, once all was sent. */
const LOOKED_AT = 0.84;
const BESIDE = 0.5;
const ALONE = 0.7;
const MOST_NAMED = 3;

/** A field without what was filled in, ticked or picked there, since the last action before the failure: of a step of a form that was gone back to, say. */
export function detectForgotten(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const { page } = run;
  if (!action || !page) return [];
  const looked = new Set(wantedOn({ failed }, page.elements));
  const all = givenBefore(run.facts, action).flatMap((step) => {
    const now = heldOn(page, step);
    if (!now || now.held.isGiven || !isLostSince(evidence, step)) return [];
    return [{ ...now, step, isLookedAt: looked.has(now.field) }];
  });
  const lost =
    passes.length > 0
      ? (all.find(({ isLookedAt }) => isLookedAt) ?? all[0])
      : (all.find(
          ({ step, isLookedAt }) => isLookedAt && valuesOf(step).includes(bareOf(failed.expected ?? "")),
        ) ?? (isShutOff(failed) ? all[0] : undefined));
  if (!lost) return [];
  const { step, held, isLookedAt } = lost;
  const others = all.filter((one) => one !== lost).slice(0, MOST_NAMED);
  const isBack = run.before !== undefined && heldOn(run.before, step) === null;
  return [
    {
      kind: "page_changed",
      title: `After ${quotedStep(action)} the field ${nameOf(lost)} ${isBack ? "came back" : "was"} ${held.words}: it lost what ${quotedStep(step)} had given it${passes.length === 0 ? "" : ", which it kept in the last pass"}${others.length === 0 ? "" : `; so did ${others.map(nameOf).join(", ")}`}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, step.seq, page.shot.seq],
      ts: action.ts,
      is_new: passes.length === 0 ? null : true,
      weight: passes.length === 0 ? ALONE : isLookedAt ? LOOKED_AT : BESIDE,
      about: `forgot ${action.seq}`,
    },
  ];
}

/** Whether the step waited for a control that was disabled, as one may be while a field beside it is empty. */
const isShutOff = ({ step }: Failed): boolean =>
  step?.kind === "agent.action" && step.log.some((line) => /\bnot enabled\b/.test(line));

/** What an assertion of the field may expect after an action that set it. */
const valuesOf = (step: Step): string[] =>
  typeof step.params.value === "string"
    ? [step.params.value]
    : [/uncheck$/.test(step.name) ? "unchecked" : "checked", ...pickedBy(step)];

/** Whether a field still had what it was given when the last action came, or was not on the page then, and keeps it in every pass. */
function isLostSince({ run, passes }: Evidence, step: Step): boolean {
  const before = run.before && heldOn(run.before, step);
  return before?.held.isGiven !== false && passes.every((pass) => isKeptIn(run, step, pass));
}

function isKeptIn(run: RunEvidence, step: Step, { facts, page }: RunEvidence): boolean {
  const same = counterpart(run.facts, step, facts);
  return same !== null && page !== null && heldOn(page, same)?.held.isGiven === true;
}

/** The one field of a page that an action set, and what it holds there. */
function heldOn({ elements }: SeenPage, step: Step): { field: SeenElement; held: Held } | null {
  const field = fieldOf(step, elements);
  const held = field && heldBy(step, field, elements);
  return field && held ? { field, held } : null;
}

/** As the test calls it: the label of a list has all its options in it. */
function nameOf({ step, field: { name, attributes, tag } }: { step: Step; field: SeenElement }): string {
  const called = wantedBy(lastPartOf(String(step.params.selector))).name;
  return quoted(called || name || attributes.name || attributes.id || tag, 60);
}
