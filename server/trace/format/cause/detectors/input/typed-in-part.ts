import { isDoneBefore, sameAct, TYPES } from "../../page/acts.ts";
import { type Written, writtenBetween } from "../../page/written.ts";
import type { Act, Evidence, Finding } from "../../types.ts";
import { lengthIn, tookOnly } from "./wiped.ts";

/** A text that was typed key by key into a field that takes no more letters after a part of it, where it takes the whole in every pass. */
export function detectTypedInPart(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  for (const act of run.acts ?? []) {
    const cut = isDoneBefore(failed, act.step) ? cutIn(act) : null;
    if (cut === null || !passes.every((pass) => isWhole(sameAct(run, act, pass)))) continue;
    const { field, text, more } = cut;
    const usual = lengthIn(evidence, act, passes[0]!, field);
    return [
      {
        kind: "page_changed",
        title: tookOnly({ step: act.step, field, value: more ?? "" }, usual),
        detail: null,
        step_id: act.step.step_id,
        events: [act.step.seq, act.left!.shot.seq],
        ts: act.step.end ?? act.step.ts,
        is_new: true,
        weight: 0.93,
        about: `wiped ${act.step.seq}`,
        said: text,
      },
    ];
  }
  return [];
}

/** The field that took the first letters of what an action typed, and is full with them; null where there is none. */
function cutIn(act: Act): Written | null {
  const [typed, taken] = [textOf(act), takenBy(act)];
  if (!typed || !taken?.more || taken.more.length >= typed.length || !typed.startsWith(taken.more))
    return null;
  return taken.field.attributes.maxlength === String(taken.text.length) ? taken : null;
}

const isWhole = (act: Act | null): boolean => {
  const typed = act && textOf(act);
  return !!typed && takenBy(act)?.more === typed;
};

const textOf = ({ step: { name, params } }: Act): string | null =>
  TYPES.test(name) && typeof params.text === "string" ? params.text : null;

/** The one field in which something else stands after an action than before it; null where it is none or several. */
function takenBy({ met, left }: Act): Written | null {
  const [one, ...others] = (left && writtenBetween(met, left)) ?? [];
  return one && others.length === 0 ? one : null;
}
