import { writtenIn } from "../../page/field-values.ts";
import { fillsBefore } from "../../page/filled.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin } from "../../page/wanted.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding, SeenPage } from "../../types.ts";
import { bareOf, quotedStep, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { takenWell } from "../session/taken-well.ts";

/** A field that keeps what was typed into it once that was sent and taken, where every pass empties it. */
export function detectNotEmptied(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const got = bareOf(failed.received ?? "");
  const last = actionBefore(run.facts, failed);
  if (!last || got === "" || !run.page || heldIn(run.page, evidence) !== got) return [];
  const filled = fillsBefore(run.facts, last).findLast(({ params }) => params.value === got);
  const taken = filled && takenWell(evidence);
  const isUsual = passes.every(({ page }) => page && heldIn(page, evidence) === "");
  if (!filled || !taken || !isUsual) return [];
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `${targetOf(evidence)} was not emptied after ${requestOf(taken, run.facts)} was answered with ${taken.status}, as in the last pass, which then empties it: it still holds what ${quotedStep(filled)} gave it${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: last.step_id,
      events: [filled.seq, taken.seq, run.page.shot.seq, ...(script === null ? [] : [script.seq])],
      ts: failed.to,
      is_new: true,
      weight: 0.88,
      about: `kept ${filled.seq}`,
    },
  ];
}

/** What the one field that the failed step looks at holds; null where there is none, or several. */
function heldIn({ elements }: SeenPage, evidence: Evidence): string | null {
  const [field, ...others] = foundWithin(targetOf(evidence), elements);
  return field && others.length === 0 ? writtenIn(field) : null;
}
