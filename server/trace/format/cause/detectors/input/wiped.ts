import { isDoneBefore, sameAct } from "../../page/acts.ts";
import { type Refilled, refilledBefore } from "../../page/filled.ts";
import type { SeenElement } from "../../page/page-view.ts";
import type { Act, Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

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
  const cut = shortened(lost, passes.flatMap((pass) => lengthIn(evidence, act, pass, field) ?? [])[0]);
  return [
    {
      kind: "page_changed",
      title:
        cut ??
        `The field ${quoted(nameOf(field), 60)} ${value === "" ? "was empty" : `held ${quoted(value, 60)}`} when ${quotedStep(act.step)} came, though ${quotedStep(step)} had filled it${passes.length === 0 ? "" : "; in the last pass it kept that"}: the page drew it anew or set it back meanwhile`,
      detail: null,
      step_id: act.step.step_id,
      events: [step.seq, act.step.seq, act.met.shot.seq],
      ts: act.step.ts,
      is_new: passes.length === 0 ? null : true,
      weight: passes.length === 0 ? 0.84 : 0.93,
      about: `wiped ${step.seq}`,
      ...(cut !== null && { said: value }),
    },
  ];
}

const nameOf = ({ name, attributes, tag }: SeenElement): string =>
  name || attributes.name || attributes.id || tag;

/** Of a field that takes no more letters, what of a text it took (HTML's `maxlength`). @param before what it takes in the last pass */
function shortened({ step, field, value }: Refilled, before: string | undefined): string | null {
  const isShort = field.attributes.maxlength === String(value.length);
  return isShort && String(step.params.value ?? "").startsWith(value)
    ? tookOnly({ step, field, value }, before)
    : null;
}

/** That a field took only a part of what an action gave it, for its limit. @param before the limit that it has in the last pass */
export function tookOnly({ step, field, value }: Refilled, before: string | undefined): string {
  const { maxlength } = field.attributes;
  const usual =
    before === undefined || before === maxlength ? "" : `, where the last pass has maxlength="${before}"`;
  return `The field ${quoted(nameOf(field), 60)} took only ${quoted(value, 60)} of what ${quotedStep(step)} gave it: it has maxlength="${maxlength}"${usual}`;
}

/** What a field of a pass's page says that it takes, as the same action met it. */
export const lengthIn = (
  { run }: Evidence,
  act: Act,
  pass: RunEvidence,
  { tag, name }: SeenElement,
): string | undefined =>
  sameAct(run, act, pass)?.met.elements.find((one) => one.tag === tag && one.name === name)?.attributes
    .maxlength;

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
