import type { SeenElement } from "../page-view.ts";
import { actionBefore } from "../select.ts";
import type { Evidence, Finding } from "../types.ts";
import { told, wantedOn } from "../wanted.ts";
import { quoted } from "../words.ts";
import { isMissing } from "./element.ts";

/**
 * An action after which the page stayed as it was, where the passes came to show what the step looks for: nothing listened
 * to it, or what listened gave up.
 */
export function detectNoEffect(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { page, before } = run;
  const action = actionBefore(run.facts, failed);
  if (!page || !before || !action || passes.length === 0 || !isMissing(evidence)) return [];
  const found = passes.map((pass) => wantedOn(evidence, pass.page?.elements ?? [])[0]);
  const [usual] = found;
  if (!usual || found.includes(undefined) || wantedOn(evidence, before.elements).length > 0) return [];
  if (outlineOf(page.elements) !== outlineOf(before.elements)) return [];
  return [
    {
      kind: "element_missing",
      title: `${quoted(action.title, 120)} had no effect: the page stayed as it was before; in the last pass it came to show ${told(usual)}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, page.shot.seq],
      ts: action.end,
      is_new: true,
      weight: 0.64,
    },
  ];
}

/** What a page shows, in order. */
const outlineOf = (elements: readonly SeenElement[]) =>
  elements
    .filter(({ isHidden }) => !isHidden)
    .map(({ tag, own }) => `${tag} ${own}`)
    .join("\n");
