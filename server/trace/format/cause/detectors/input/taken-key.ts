import { foundBy, letterOf, sameAct } from "../../page/acts.ts";
import { FIELD, type Written, writtenBetween } from "../../page/written.ts";
import type { Act, Evidence, Finding } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

/** A key that was pressed for what a page does at it, and that a field took as a letter, as in no pass: the field had the focus. */
export function detectTakenKey({ run, passes, failed }: Evidence): Finding[] {
  if (passes.length === 0) return [];
  return (run.acts ?? []).flatMap((act): Finding[] => {
    const field = fieldWith(act)?.name ?? null;
    const before = passes.map((pass) => sameAct(run, act, pass));
    if (field === null || before.some((same) => same === null || fieldWith(same) !== null)) return [];
    return [
      {
        kind: "page_changed",
        title: `${quotedStep(act.step)} wrote ${quoted(letterOf(act.step)!)} into the field ${quoted(field, 60)}, which had the focus; in the last pass no field took it`,
        detail: null,
        step_id: act.step.step_id,
        events: [act.step.seq, act.left!.shot.seq],
        ts: failed.to,
        is_new: true,
        weight: 0.93,
        about: `acted key ${act.step.seq}`,
      },
    ];
  });
}

/** What took the letter that an action pressed on the page, and not in a field; null where nothing did. */
export function fieldWith(act: Act): Written | null {
  const { step, met, left } = act;
  const letter = letterOf(step);
  if (letter === null || left === null || isInField(act)) return null;
  return writtenBetween(met, left)?.find(({ more }) => more === letter) ?? null;
}

/** Whether an action pressed its key in a field that it names. */
function isInField(act: Act): boolean {
  const found = act.step.params.selector === undefined ? null : foundBy(act);
  return found !== null && (FIELD.test(found.tag) || found.attributes.contenteditable !== undefined);
}
