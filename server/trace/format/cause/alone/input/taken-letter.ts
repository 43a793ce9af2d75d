import { fieldWith } from "../../detectors/input/taken-key.ts";
import { isDoneBefore, letterOf } from "../../page/acts.ts";
import { fieldOf, OPENS } from "../../page/filled.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { wantedOn } from "../../page/wanted.ts";
import type { Moment, Step } from "../../run/run-facts.ts";
import { GESTURES } from "../../run/select.ts";
import type { Act, Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";
import { isSameField } from "./forms.ts";

/** More are a word that is typed. */
const MOST_LETTERS = 2;
const FOCUSES = /(?:^|\.)focus$/;

/** A key that was pressed for what a page does at it, and that a field took as a letter to which the test never went. */
export function detectTakenLetter(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const taken = (run.acts ?? []).flatMap((act) => {
    const written = isDoneBefore(failed, act.step) ? fieldWith(act) : null;
    return written?.text.endsWith(letterOf(act.step)!) ? [{ act, written }] : [];
  });
  const [first] = taken;
  if (!first || taken.length > MOST_LETTERS) return [];
  const { act, written } = first;
  const isLookedAt = wantedOn(evidence, run.page?.elements ?? []).some((one) =>
    isSameField(one, written.field),
  );
  if (isLookedAt || isMeant(evidence, act, written.field)) return [];
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(act.step)} wrote ${quoted(letterOf(act.step)!)} into the field ${quoted(written.name, 60)}, which had the focus, though the test never went to it`,
      detail: null,
      step_id: act.step.step_id,
      events: [act.step.seq, act.left!.shot.seq],
      ts: failed.to,
      is_new: null,
      weight: 0.92,
      about: `acted key ${act.step.seq}`,
    },
  ];
}

/** Whether the test may have gone to a field before it pressed a key: to it, by what brought it onto the page, or by what nobody can follow. */
function isMeant({ run }: Evidence, { step, met }: Act, field: SeenElement): boolean {
  const { steps, exchanges } = run.facts;
  const isBeforeIt = ({ ts }: Moment) => ts < step.ts;
  const opened = [
    steps.findLast((one) => OPENS.test(one.name) && one.page === step.page && isBeforeIt(one)),
    exchanges.findLast((one) => one.type === "document" && one.url === met.shot.url && isBeforeIt(one)),
  ].map((one) => one?.ts ?? 0);
  return steps.some(
    (one) =>
      one.kind === "agent.action" &&
      one.page === step.page &&
      isBeforeIt(one) &&
      one.ts > Math.max(...opened) &&
      mayFocus(one) &&
      !wentElsewhere(run, one, met, field),
  );
}

const mayFocus = (step: Step): boolean =>
  FOCUSES.test(step.name) ||
  (GESTURES.test(step.name) && (letterOf(step) === null || typeof step.params.selector === "string"));

/** Whether an action went to another element, and the field stood on the page before it. */
function wentElsewhere(run: RunEvidence, step: Step, met: SeenPage, field: SeenElement): boolean {
  const target = fieldOf(step, met.elements);
  if (target === null || target === field || target.tag === "label") return false;
  return (run.earlier ?? []).some(
    ({ shot, elements }) =>
      shot.ts <= step.end &&
      (shot.step_id !== step.step_id || shot.phase !== "after") &&
      elements.some((one) => !one.isHidden && isSameField(one, field)),
  );
}
