import { isDoneBefore, sameAct } from "../../acts.ts";
import { refilledBefore } from "../../filled.ts";
import type { Act, Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted } from "../../words.ts";

/**
 * A field that lost what a test filled it with before the next action used it: the page drew itself anew, or a script
 * that came late set it back.
 */
export function detectWiped(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const act = run.acts?.findLast(({ step }) => isDoneBefore(failed, step));
  if (!act) return [];
  const [lost] = refilledBefore(run.facts, act.step, act.met).filter(({ step, value, field }) =>
    passes.length === 0
      ? value === "" && isNext(run, step.seq, act)
      : passes.every((pass) => isKeptIn(evidence, act, pass, field.name)),
  );
  if (!lost) return [];
  const { step, field, value } = lost;
  const name = field.name || field.attributes.name || field.attributes.id || field.tag;
  return [
    {
      kind: "page_changed",
      title: `The field ${quoted(name, 60)} ${value === "" ? "was empty" : `held ${quoted(value, 60)}`} when ${quoted(act.step.title, 100)} came, though ${quoted(step.title, 100)} had filled it${passes.length === 0 ? "" : "; in the last pass it kept that"}: the page drew it anew or set it back meanwhile`,
      detail: null,
      step_id: act.step.step_id,
      events: [step.seq, act.step.seq, act.met.shot.seq],
      ts: act.step.ts,
      is_new: passes.length === 0 ? null : true,
      weight: passes.length === 0 ? 0.84 : 0.93,
      about: `wiped ${step.seq}`,
    },
  ];
}

/** Whether nothing but other fields was filled in between: what is pressed may take a text over and empty its field. */
const isNext = ({ facts }: RunEvidence, from: number, { step: { seq } }: Act): boolean =>
  facts.steps.every(
    (one) => one.kind !== "agent.action" || one.seq <= from || one.seq >= seq || /fill$/i.test(one.name),
  );

/** Whether a pass did that action with what the field of this name was filled with still in it. */
function isKeptIn({ run }: Evidence, act: Act, pass: RunEvidence, name: string): boolean {
  const same = sameAct(run, act, pass);
  if (!same?.met.elements.some((one) => one.name === name)) return false;
  return !refilledBefore(pass.facts, same.step, same.met).some(({ field }) => field.name === name);
}
